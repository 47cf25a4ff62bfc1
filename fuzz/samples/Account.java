package com.example.bank;

import static java.util.Map.*;
import java.util.function.*;

/** An account. */
@Entity(name = "account", columns = {@Column("id"), @Column("total")})
public sealed abstract class Account<T extends Number & Comparable<? super T>> extends Base implements Runnable permits Savings {
    private static final long serialVersionUID = 0x1FL, MAX = 1_000_000;
    enum State { OPEN { @Override int code() { return 1; } }, CLOSED; int code() { return 0; } }
    record Point(int x, int y) { Point { if (x < 0) throw new IllegalArgumentException("x"); } }
    public @interface Column { String value() default ""; }
    static { System.out.println("loaded"); }
    public <R> R apply(Function<? super T, R[]> f, int... rest) throws Exception {
        outer:
        for (int i = 0, n = rest.length; i < n; i++) { for (var it : rest) { if (it == 0) continue outer; else break; } }
        Object value = switch (rest.length) { case 0, 1 -> "few"; case 2 -> { yield 'c'; } default -> null; };
        if (value instanceof String s && !s.isEmpty() || value instanceof Point(int x, var y)) { synchronized (this) { assert x > 0 : s; } }
        try (var in = open(); in) { run(); } catch (IllegalStateException | RuntimeException e) { } finally { lock.unlock(); }
        Supplier<Runnable> later = () -> () -> { throw new UnsupportedOperationException("not implemented"); };
        String text = """
            a "block" \
            of text\n""";
        return (R) (Object) new int[][] {{1}, {2, 3}}[0].clone().getClass().cast(Account::new);
    }
}
