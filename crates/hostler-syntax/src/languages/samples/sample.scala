package a
import b.c.{D, E}
class Big(val a: Int) extends Base with T {
  val key = "secret123"
  def walk(a: Int, b: String = "x"): Int = {
    if (a > 0) { for (x <- y) { a match { case 1 => f(); case _ => g() } } }
    else if (a < 0) { h() }
    try { f() } catch { case e: Exception => case e: IOException => log.error("x"); throw e }
    println(s"hi $a")
    this.z
  }
  def stub: Int = ???
  private def p() = {}
}
object O { final val MaxRetries = 3 }
trait T { def sig: Int }
