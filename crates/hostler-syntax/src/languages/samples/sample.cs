using System;
namespace A;
public class Big : Base, IThing {
    private const string ApiKey = "sk_abcdefgh";
    [Test]
    public async Task<int> Walk(int a, string b = "x") {
        if (a > 0) { foreach (var x in y) { switch (a) { case 1: break; default: break; } } }
        else if (a < 0) { }
        try { F(); } catch (Exception e) { } catch { throw; }
        Console.WriteLine($"hi {a}");
        return this.z;
    }
    int Stub() { throw new NotImplementedException(); }
    int Arrow() => throw new NotImplementedException();
}
