package com.example
package model
import scala.util.{Try, Failure as _, *}
import java.io.*
/** A /* nested */ model. */
sealed trait Tree[+A, F[_]] { self: Logged => def size: Int; type Out <: A }
final case class Node[A: Ordering](left: Tree[A, List], value: A = null.asInstanceOf[A])(using ctx: Ctx) extends Tree[A, List] with Logged:
  private[this] lazy val n, m: Int = 0x1F
  override def size: Int = left match
    case Node(_, v @ (_: Int | _: Long)) if v != 0 => 1
    case null | `n` => ???
    case other => other.size + 1
  def each[B >: A](f: B => Unit, rest: Int*): Unit =
    for
      x <- List(1, 2) if x > 1
      y = x * 2
    do f(x)
  end each
object Node { implicit def of[A](x: => A): Node[A] = new Node(x) {}
  def run(): Unit = { try { risky() } catch { case e: Exception => case _ => throw e } finally println(s"done ${n + 1} $m")
    var i = 0; while (i < 3) { i += 1 }; do { i -= 1 } while (i > 0)
    val q = """raw "text" ${x}""" + 'c' + 'symbol + f"$i%2d"; val xml = <a b="c">{i}</a>
    (a, b) match { case (1, _) :+ x => x; case x if x > 1 => x } ; val f: (Int, Int) => Int = _ + _ }
}
enum Color(val rgb: Int) derives Eq { case Red extends Color(1); case Green }
given Ordering[Int] with { def compare(a: Int, b: Int) = a - b }
extension (x: Int) inline def twice: Int = if x > 0 then x * 2 else throw new NotImplementedError
@main def app(args: String*) = println(args)
