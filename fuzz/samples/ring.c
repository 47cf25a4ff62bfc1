#include <stdlib.h>
#include "ring.h"
#define MAX(a, b) \
  ((a) > (b) ? (a) : (b))
#if defined(__GNUC__) && !defined(X)
__attribute__((noreturn)) static inline void fail(const char *restrict format, ...);
#elif X
#else
extern int errno;
#endif
typedef struct ring { unsigned int head : 4, tail; union { float f; long long l; } value; struct ring *next; } ring_t;
typedef int (*compare)(const void *, const void *);
enum state { EMPTY = 'a', FULL = L'\x7f' };
static const char *names[] = { [0] = "a" "b", [EMPTY] = "c\n" };
int push(r, item) ring_t *r; int item; { return 0; }
ring_t *ring_new(size_t size, compare by[static 2]) {
  ring_t *r = malloc(sizeof *r + sizeof(int[size]));
  if (!r) goto out;
  for (size_t i = 0; i < size && r->next; ++i) {
    switch (i) { case 0: case 1 ... 3: break; default: continue; }
  }
  do { r->head = (unsigned) -1 >> 2; } while (0);
  *r = (ring_t) { .head = 1, .value.f = 1.0e-3f };
out:
  return r ?: NULL;
}
_Static_assert(sizeof(int) == 4, "int");
int main(int argc, char **argv) { asm volatile ("nop" ::: "memory"); return MAX(argc, 1); }
