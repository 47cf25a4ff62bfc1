@file:JvmName("Feed")
package com.example.feed
import kotlinx.coroutines.flow.* ; import a.b as c
/** A feed. */
sealed interface State<out T> { data object Empty : State<Nothing>; @JvmInline value class Full<T>(val items: List<T>) : State<T> }
annotation class Level(val value: Int = 1)
typealias Done = suspend (Int, String?) -> Unit
internal abstract class Feed<T : Any>(private val source: Source<T>, vararg rest: Int) : Base<T>(), Closeable by source where T : Comparable<T> {
    companion object { const val MAX = 0xFFL; val names by lazy { listOf("a") } }
    init { require(MAX > 0) { "max is $MAX" } }
    constructor(x: Int) : this(Source(x)) { println("secondary") }
    var size: Int = 0; get() = field + 1; private set(value) { field = value }
    override suspend fun load(at: Int, onDone: Done): State<T>? = when (val it = source[at]) {
        null -> State.Empty; is Collection<*> -> TODO("later"); in 1..10, !in setOf(2) -> { return@load null } else -> it as? State<T>
    }
    operator fun plus(o: Feed<T>) = this.apply { size += o.size }
    inline fun <reified R> List<R>.each(crossinline f: (R) -> Unit): String {
        outer@ for ((i, it) in withIndex()) { if (i > 1 && it !is Any) continue@outer else f(it!!) }
        do { size-- } while (size downTo 1 step 2 != null)
        try { risky() } catch (e: Exception) { } finally { close() }
        val text = """raw "${if (size > 0) "a${size}b" else 'c'}" $size
        """.trimIndent(); return text ?: throw IllegalStateException()
    }
}
