#nullable enable
using System; using static System.Math; global using Text = System.String;
[assembly: CLSCompliant(true)]
namespace Shop.Carts;
public delegate T Maker<out T>(ref int count) where T : new();
public abstract partial record class Cart<TItem>(int Id, string? Name = null) : Base, IEnumerable<TItem> where TItem : class, IItem
{
    private const int MaxItems = 0x1F; public event EventHandler? Changed { add { } remove { } }
    public required string Owner { get; init; } = "nobody";
    public int this[int at] => at switch { < 0 => throw new ArgumentException(nameof(at)), 0 or 1 => 1, _ when at > 2 => 2, _ => 3 };
    [Obsolete("later", error: false)] public async Task<int?> TotalAsync(params int[] rest)
    {
        await foreach (var (key, value) in items.ConfigureAwait(false)) { if (key is not { Length: > 3 } text) continue; }
        try { checked { Run(); } } catch (Exception e) when (e is IOException) { } catch { throw; } finally { Dispose(); }
        using var stream = Open(); lock (this) { goto done; }
        var q = from it in items where it.Price > 1 orderby it.Name descending select new { it.Name, it.Price };
        string s = $"total {Total:N2} {{}} {(a ? "b" : "c")}" + @"C:\""x""" + """raw "text" here""" + $$"""{{x}}""";
        unsafe { int* p = &x; *p = 1; } done: return s?.Length ?? -1;
    }
    public static bool operator ==(Cart<TItem> a, Cart<TItem> b) => a.Equals(b);
    ~Cart() => throw new NotImplementedException();
}
#if DEBUG
#region x
#endregion
#endif
