package a
import b.c.D
import b.e.*
const val KEY = "secret123"
class Big(val a: Int, val pw: String = "hunter22") : Base(), I {
    private val log = LoggerFactory.getLogger("x")
    companion object { const val maxRetries = 3 }
    @Test
    fun walk(a: Int, b: String = "x"): Int {
        if (a > 0) { for (x in y) { when (a) { 1 -> f(); else -> g() } } }
        else if (a < 0) { h() }
        try { f() } catch (e: Exception) { } catch (e: IOException) { log.error("x"); throw e }
        println("hi $a")
        return this.a
    }
    fun stub(): Int = TODO("later")
    fun stub2() { TODO() }
    override fun x() {}
    private fun p() {}
}
interface Z { fun sig(): Int }
