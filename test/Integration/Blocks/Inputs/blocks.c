/* Functions of blocks for check_blocks.py. */
#include "tapestry-rt/Block.h"
#include <math.h>
#include <stdlib.h>

#define AT1(type, tensor, i) (*(type *)tapestry_block_at1(tensor, i))
#define AT2(type, tensor, i, j) (*(type *)tapestry_block_at2(tensor, i, j))
#define EACH(i, label)                                                         \
  for (int64_t i = call->lo[label]; i < call->hi[label]; ++i)

/* A window with weights and a factor. */
TAPESTRY_BLOCK(smooth) {
  const TapestryBlockTensor *x = &call->inputs[0], *w = &call->inputs[1];
  double scale = call->params[0].number;
  EACH(b, 0) EACH(i, 1) {
    double sum = 0;
    for (int64_t r = 0; r < w->extents[0]; ++r)
      sum += (double)AT2(float, x, b, i + r) * AT1(float, w, r);
    AT2(float, &call->outputs[0], b, i) = (float)(scale * sum);
  }
  return 0;
}

/* Every second element of three, two apart: their largest. */
TAPESTRY_BLOCK(strided) {
  EACH(i, 0) {
    int32_t most = INT32_MIN;
    for (int64_t r = 0; r < 3; ++r) {
      int32_t value = AT1(int32_t, &call->inputs[0], 3 * i + 2 * r);
      most = value > most ? value : most;
    }
    AT1(int32_t, &call->outputs[0], i) = most + (int32_t)call->params[0].integer;
  }
  return 0;
}

/* Of each row the sum of squares, and of each column the largest value. */
TAPESTRY_BLOCK(stats) {
  EACH(n, 0) EACH(k, 1) {
    double value = AT2(double, &call->inputs[0], n, k);
    double *sum = tapestry_block_at1(&call->outputs[0], n);
    double *most = tapestry_block_at1(&call->outputs[1], k);
    *sum += value * value;
    *most = value > *most ? value : *most;
  }
  return 0;
}

/* A product of complex matrices, added up over what is cut. */
TAPESTRY_BLOCK(product) {
  EACH(i, 0) EACH(k, 1) EACH(j, 2) {
    float *a = tapestry_block_at2(&call->inputs[0], i, j);
    float *b = tapestry_block_at2(&call->inputs[1], j, k);
    float *c = tapestry_block_at2(&call->outputs[0], i, k);
    c[0] += a[0] * b[0] - a[1] * b[1];
    c[1] += a[0] * b[1] + a[1] * b[0];
  }
  return 0;
}

/* The sum of an element and its neighbours, and of the last row's. */
TAPESTRY_BLOCK(blur) {
  const TapestryBlockTensor *x = &call->inputs[0];
  EACH(b, 0) EACH(i, 1) AT2(float, &call->outputs[0], b, i) =
      AT2(float, x, b, i - 1) + AT2(float, x, b, i) + AT2(float, x, b, i + 1) -
      AT2(float, x, b - 1, i);
  return 0;
}

/* Every second element of five, two behind each other in steps of three. */
TAPESTRY_BLOCK(sparse) {
  EACH(i, 0) {
    int32_t sum = 0;
    for (int64_t r = 0; r < 3; ++r)
      sum += AT1(int32_t, &call->inputs[0], 3 * i - 4 + 2 * r);
    AT1(int32_t, &call->outputs[0], i) = sum;
  }
  return 0;
}

/* Of each column the largest absolute value, and how far rows go. */
TAPESTRY_BLOCK(reach) {
  EACH(n, 0) EACH(k, 1) {
    double value = fabs(AT2(double, &call->inputs[0], n, k));
    double *most = tapestry_block_at1(&call->outputs[0], k);
    double *product = tapestry_block_at1(&call->outputs[1], n);
    *most = fmax(fabs(*most), value);
    *product += value + *product * value;
  }
  return 0;
}

TAPESTRY_BLOCK(brightest) {
  EACH(i, 0) {
    uint8_t value = AT1(uint8_t, &call->inputs[0], i);
    uint8_t *most = call->outputs[0].data;
    *most = value > *most ? value : *most;
  }
  return 0;
}

/* Without labels: the elements backwards, and whether their number is even. */
TAPESTRY_BLOCK(turned) {
  int64_t n = call->inputs[0].extents[0], bits = 0;
  for (int64_t i = 0; i < n; ++i)
    AT1(uint8_t, &call->outputs[0], i) =
        AT1(uint8_t, &call->inputs[0], n - 1 - i);
  *(uint8_t *)call->outputs[1].data = n % 2 == 0;
  return (int32_t)bits;
}

/* Tiles of four rows. */
TAPESTRY_BLOCK(tiles) {
  EACH(t, 0) EACH(c, 1) for (int64_t r = 0; r < 4; ++r)
    AT2(int64_t, &call->outputs[0], 4 * t + r, c) =
        10 * AT2(int64_t, &call->inputs[0], t, c) + r;
  return 0;
}

/* Nothing is read. */
TAPESTRY_BLOCK(ramp) {
  EACH(i, 0) AT1(float, &call->outputs[0], i) =
      (float)(i * call->params[0].integer) / (float)call->label_extents[0];
  return 0;
}

/* Wrong ones, of Y[i] = X[i] + X[i + 1]. */
static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

TAPESTRY_BLOCK(reads_before) {
  EACH(i, 0) AT1(float, &call->outputs[0], i) =
      AT1(float, &call->inputs[0], i > 0 ? i - 1 : i) +
      AT1(float, &call->inputs[0], i + 1);
  return 0;
}

/* A row's worth on both sides of all that it is given. */
TAPESTRY_BLOCK(writes_around) {
  const TapestryBlockTensor *x = &call->inputs[0], *y = &call->outputs[0];
  for (int64_t i = call->lo[0] - 20; i < call->hi[0] + 20; ++i)
    *(float *)tapestry_block_at1(y, i) =
        i < call->lo[0] || i >= call->hi[0]
            ? 1
            : *(float *)tapestry_block_at1(x, i);
  return 0;
}

TAPESTRY_BLOCK(writes_behind) {
  EACH(i, 0) {
    float sum = AT1(float, &call->inputs[0], i) +
                AT1(float, &call->inputs[0], i + 1);
    AT1(float, &call->outputs[0], i) = sum;
    AT1(float, &call->outputs[0],
        min(i + 1, call->label_extents[0] - 1)) = sum;
  }
  return 0;
}

TAPESTRY_BLOCK(leaves_out) {
  EACH(i, 0) if (i % 2 == 0) AT1(float, &call->outputs[0], i) =
      AT1(float, &call->inputs[0], i) + AT1(float, &call->inputs[0], i + 1);
  return 0;
}

TAPESTRY_BLOCK(counts) {
  static float calls = 0;
  calls += 1;
  EACH(i, 0) AT1(float, &call->outputs[0], i) =
      calls + AT1(float, &call->inputs[0], i);
  return 0;
}

TAPESTRY_BLOCK(counts_half) {
  static float calls = 0;
  calls += 1;
  EACH(i, 0) if (i % 2 == 0) AT1(float, &call->outputs[0], i) =
      calls + AT1(float, &call->inputs[0], i);
  return 0;
}

/* What it reads behind shows where that is finite alone. */
TAPESTRY_BLOCK(counts_behind) {
  static float calls = 0;
  EACH(i, 0) {
    float behind = AT1(float, &call->inputs[0], min(i + 1, call->label_extents[0] - 1));
    AT1(float, &call->outputs[0], i) = (isfinite(behind) ? behind : 0) + ++calls;
  }
  return 0;
}

TAPESTRY_BLOCK(largest_behind) {
  EACH(i, 0) {
    float own = AT1(float, &call->inputs[0], i);
    float behind = AT1(float, &call->inputs[0], min(i + 1, call->label_extents[0] - 1));
    AT1(float, &call->outputs[0], i) = isfinite(behind) && behind > own ? behind : own;
  }
  return 0;
}

/* One of two values, by chance, of what it may read. */
TAPESTRY_BLOCK(tosses) {
  static unsigned state = 1;
  EACH(i, 0) {
    state = state * 1664525u + 1013904223u;
    AT1(float, &call->outputs[0], i) = (state >> 31 ? 2 : 1) * AT1(float, &call->inputs[0], i);
  }
  return 0;
}

/* Every other time twice as much. */
TAPESTRY_BLOCK(alternates) {
  static int calls = 0;
  ++calls;
  EACH(i, 0) AT1(float, &call->outputs[0], i) = (1 + calls % 2) * AT1(float, &call->inputs[0], i);
  return 0;
}

/* Right but for the last bits, which differ each time. */
TAPESTRY_BLOCK(jitters) {
  static int calls = 0;
  ++calls;
  EACH(i, 0) {
    float sum = AT1(float, &call->inputs[0], i) +
                AT1(float, &call->inputs[0], i + 1);
    AT1(float, &call->outputs[0], i) = calls % 3 == 1 ? sum : nextafterf(sum, 99);
  }
  return 0;
}

TAPESTRY_BLOCK(jitters_before) {
  static int calls = 0;
  ++calls;
  EACH(i, 0) {
    float sum = AT1(float, &call->inputs[0], i > 0 ? i - 1 : i) +
                AT1(float, &call->inputs[0], i + 1);
    AT1(float, &call->outputs[0], i) = calls % 3 == 1 ? sum : nextafterf(sum, 99);
  }
  return 0;
}

TAPESTRY_BLOCK(uses_up) {
  EACH(i, 0) {
    AT1(float, &call->outputs[0], i) = AT1(float, &call->inputs[0], i) +
                                       AT1(float, &call->inputs[0], i + 1);
    AT1(float, &call->inputs[0], i) = 0;
  }
  return 0;
}

/* All calls but those for all points use up what they read. */
TAPESTRY_BLOCK(uses_up_part) {
  EACH(i, 0) {
    AT1(float, &call->outputs[0], i) = AT1(float, &call->inputs[0], i) +
                                       AT1(float, &call->inputs[0], i + 1);
    if (call->hi[0] - call->lo[0] < call->label_extents[0])
      AT1(float, &call->inputs[0], i) = 0;
  }
  return 0;
}

TAPESTRY_BLOCK(takes_place) {
  EACH(i, 0) AT1(float, &call->outputs[0], i) =
      AT1(float, &call->inputs[0], i) + (float)(i - call->lo[0]);
  return 0;
}

TAPESTRY_BLOCK(fails) {
  return call->lo[0] >= 0 ? 7 : 0;
}

TAPESTRY_BLOCK(sums_all) {
  /* Y = sum X[i], but what is there already is lost. */
  float sum = 0;
  EACH(i, 0) sum += AT1(float, &call->inputs[0], i);
  *(float *)call->outputs[0].data = sum + (float)(call->lo[0] > 0);
  return 0;
}

/* Wrong ones, of Y[i] = X[i], at one point. */
#define COPY(type, i)                                                          \
  AT1(type, &call->outputs[0], i) = AT1(type, &call->inputs[0], i)

TAPESTRY_BLOCK(reads_at) {
  int64_t at = call->params[0].integer, count = call->label_extents[0];
  EACH(i, 0) {
    COPY(float, i);
    if (i == at)
      AT1(float, &call->outputs[0], i) += AT1(float, &call->inputs[0], (i + count / 2) % count);
  }
  return 0;
}

TAPESTRY_BLOCK(omits_at) {
  EACH(i, 0) if (i != call->params[0].integer) COPY(float, i);
  return 0;
}

TAPESTRY_BLOCK(writes_at) {
  EACH(i, 0) {
    COPY(float, i);
    if (i == call->params[0].integer)
      AT1(float, &call->outputs[0], i > 0 ? i - 1 : i + 1) = 0;
  }
  return 0;
}

/* What lies behind is looked at, and counts where it is far out. */
TAPESTRY_BLOCK(low_behind) {
  EACH(i, 0) {
    float behind = AT1(float, &call->inputs[0], min(i + 1, call->label_extents[0] - 1));
    COPY(float, i);
    AT1(float, &call->outputs[0], i) += behind < (float)-call->params[0].integer;
  }
  return 0;
}

TAPESTRY_BLOCK(high_behind) {
  EACH(i, 0) {
    int32_t behind = AT1(int32_t, &call->inputs[0], min(i + 1, call->label_extents[0] - 1));
    COPY(int32_t, i);
    AT1(int32_t, &call->outputs[0], i) += behind > (int32_t)call->params[0].integer;
  }
  return 0;
}

/* At one end of a row the other end is read, too. */
TAPESTRY_BLOCK(wraps) {
  int64_t last = call->label_extents[1] - 1;
  int64_t at = call->params[0].integer < 0 ? 0 : last;
  EACH(b, 0) EACH(i, 1) {
    AT2(float, &call->outputs[0], b, i) = AT2(float, &call->inputs[0], b, i);
    if (i == at)
      AT2(float, &call->outputs[0], b, i) += AT2(float, &call->inputs[0], b, last - at);
  }
  return 0;
}

/* Crashes. */
static int32_t deepen(volatile int32_t *from) {
  volatile int32_t here[1024];
  here[0] = *from + 1;
  if (here[0] == INT32_MAX)
    return 0;
  return deepen(here) + here[0];
}

TAPESTRY_BLOCK(faults) {
  *(volatile char *)(intptr_t)call->num_labels = 1;
  return 0;
}

TAPESTRY_BLOCK(aborts) { abort(); }

TAPESTRY_BLOCK(deepens) {
  int32_t first = call->num_labels;
  return deepen(&first);
}
