package app;

import java.util.List;
import java.io.*;

public class Big extends Base implements Thing, Other {
    private static final String API_KEY = "secret123";
    int count = 3;

    public Big(int a) {
        this.count = a;
    }

    @Override
    @SuppressWarnings("unchecked")
    public int walk(int a, List<String> names) {
        if (a > 0) {
            for (String name : names) {
                switch (name) {
                    case "x":
                        a--;
                        break;
                    default:
                        break;
                }
            }
        } else if (a < 0) {
            names.forEach(it -> {
                while (true) {
                    break;
                }
            });
        }
        try {
            f();
        } catch (IOException | RuntimeException e) {
        } catch (Exception e) {
            logger.error("failed", e);
            throw e;
        }
        System.out.println("done");
        return this.count;
    }

    int stub() {
        throw new UnsupportedOperationException("Not implemented yet");
    }

    interface Thing {
        void sig();
    }
}
