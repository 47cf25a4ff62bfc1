#include <stdio.h>
/* c */
static int *walk(int a, char *b) {
  if (a > 0) {
    for (int i = 0; i < a; i++) {
      switch (a) { case 1: a--; break; default: break; }
    }
  } else if (a < 0) { a = 1; }
  printf("x\n");
  return 0;
}
struct s { int x; };
const char *password = "hunter22";
