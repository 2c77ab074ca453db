/* Of the folder that gpu.sh makes: compares arrays, and measures what a GPU
 * does without us. Needs nothing but C's library.
 *
 *   tool compare GOT.npy WANT.npy TOLERANCE TYPE
 *                      status 0 where GOT is of that type ("f4") and all values
 * are within TOLERANCE of their magnitude, as
 * test/Integration/harness/compare.py has it tool probe N "NAME VALUE" per
 * line; 0: not known
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- arrays ---------------------------------------------------------------
 */

struct array {
  char type[8];    /* "<f4" without the order */
  char shape[256]; /* as the file has it */
  size_t size;     /* numbers; of complex ones both parts */
  char *data;
};

static char *read_all(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *data = malloc(*length + 1);
  if (data && fread(data, 1, *length, file) != *length) {
    free(data);
    data = NULL;
  }
  fclose(file);
  return data;
}

static size_t bytes_of(const char *type) {
  return (size_t)atoi(type + 1) / (type[0] == 'c' ? 2 : 1);
}

static int read_array(const char *path, struct array *array) {
  size_t length = 0;
  char *file = read_all(path, &length);
  if (!file || length < 12 || memcmp(file, "\x93NUMPY", 6) != 0)
    return 0;
  size_t start = file[6] == 1 ? 10 : 12;
  size_t header = (unsigned char)file[8] | (size_t)(unsigned char)file[9] << 8;
  char saved = file[start + header];
  file[start + header] = 0;
  char *descr = strstr(file + start, "'descr'");
  char *shape = strstr(file + start, "'shape'");
  if (!descr || !shape)
    return 0;
  if (sscanf(strchr(descr, ':'), ": '%*1[<|>=]%7[^']", array->type) != 1)
    return 0;
  if (sscanf(strchr(shape, '('), "(%255[^)]", array->shape) != 1)
    array->shape[0] = 0;
  file[start + header] = saved;
  array->data = file + start + header;
  array->size = (length - start - header) / bytes_of(array->type);
  return 1;
}

static double half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023, value;
  if (exponent == 31)
    value = fraction != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp(fraction, -24);
  else
    value = ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -value : value;
}

static double value_at(const struct array *array, size_t at) {
  size_t bytes = bytes_of(array->type);
  const char *place = array->data + at * bytes;
  char kind = array->type[0];
  if (kind == 'f' || kind == 'c') {
    if (bytes == 8) {
      double value;
      memcpy(&value, place, 8);
      return value;
    }
    if (bytes == 4) {
      float value;
      memcpy(&value, place, 4);
      return value;
    }
  }
  uint64_t word = 0;
  memcpy(&word, place, bytes);
  if (kind == 'f')
    return half_value((uint16_t)word);
  if (kind == 'V') { /* bf16 */
    uint32_t bits = (uint32_t)word << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
  }
  if (kind == 'i')
    return (double)((int64_t)(word << (64 - 8 * bytes)) >> (64 - 8 * bytes));
  return (double)word;
}

static int compare(const char *got_path, const char *want_path,
                   double tolerance, const char *type) {
  struct array got, want;
  if (!read_array(got_path, &got) || !read_array(want_path, &want)) {
    printf("%s or %s is no array\n", got_path, want_path);
    return 1;
  }
  if (strcmp(got.shape, want.shape) != 0 || got.size != want.size) {
    printf("%s: shape (%s), expected (%s)\n", got_path, got.shape, want.shape);
    return 1;
  }
  if (strcmp(got.type, type) != 0) {
    printf("%s: type %s, expected %s\n", got_path, got.type, type);
    return 1;
  }
  if (strchr("iub", want.type[0])) {
    if (strcmp(got.type, want.type) == 0 &&
        memcmp(got.data, want.data, got.size * bytes_of(got.type)) == 0)
      return 0;
    printf("%s: other %s than expected\n", got_path, want.type);
    return 1;
  }
  size_t parts = want.type[0] == 'c' ? 2 : 1, count = 0, bad = 0, first = 0;
  double sum = 0;
  for (size_t at = 0; at < want.size; at += parts) {
    double re = value_at(&want, at);
    double im = parts == 2 ? value_at(&want, at + 1) : 0;
    if (isfinite(re) && isfinite(im)) {
      sum += re * re + im * im;
      ++count;
    }
  }
  double scale = count ? sqrt(sum / (double)count) : 0;
  for (size_t at = 0; at < want.size; at += parts) {
    double re = value_at(&want, at), other = value_at(&got, at);
    double im = 0, otherIm = 0;
    if (parts == 2) {
      im = value_at(&want, at + 1);
      otherIm = value_at(&got, at + 1);
    }
    double limit = tolerance * (hypot(re, im) + scale);
    int close = (isfinite(re) && isfinite(im) &&
                 hypot(other - re, otherIm - im) <= limit) ||
                (other == re && otherIm == im) ||
                ((isnan(re) || isnan(im)) && (isnan(other) || isnan(otherIm)));
    if (!close && bad++ == 0)
      first = at;
  }
  if (bad == 0)
    return 0;
  printf("%s: %zu of %zu values differ; number %zu is %.9g, expected %.9g\n",
         got_path, bad, want.size / parts, first, value_at(&got, first),
         value_at(&want, first));
  return 1;
}

/* ---- the GPU without us ---------------------------------------------------
 */

typedef unsigned long long pointer;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *driver;
static void *find(const char *name) { return dlsym(driver, name); }

/* A function of the driver; a call of one that it lacks fails. */
#define CALL(name, types, ...)                                                 \
  (find(#name) ? ((int(*) types)find(#name))(__VA_ARGS__) : -1)

static int wait_all(void) { return CALL(cuStreamSynchronize, (void *), NULL); }

static int attribute(int which) {
  int value = 0;
  return CALL(cuDeviceGetAttribute, (int *, int, int), &value, which, 0) == 0
             ? value
             : 0;
}

/* Products and sums of f32 that it can begin in a second, twice. */
static double peak_flops(void) {
  int major = attribute(75), minor = attribute(76);
  int perUnit = major == 8 && minor == 0 ? 64 : 128;
  return 2.0 * perUnit * attribute(16) * 1e3 * attribute(13);
}

/* Bytes read and written in a second, of as many as a matrix has. */
static double copy_rate(int n) {
  const size_t bytes = sizeof(float) * (size_t)n * (size_t)n;
  pointer from = 0, to = 0;
  double rate = 0;
  if (CALL(cuMemAlloc_v2, (pointer *, size_t), &from, bytes) == 0 &&
      CALL(cuMemAlloc_v2, (pointer *, size_t), &to, bytes) == 0) {
    for (int round = 0; round < 10; ++round) {
      double begin = now();
      for (int i = 0; i < 10; ++i)
        if (CALL(cuMemcpyDtoDAsync_v2, (pointer, pointer, size_t, void *), to,
                 from, bytes, NULL) != 0)
          return 0;
      if (wait_all() != 0)
        return 0;
      double reached = 20.0 * (double)bytes / (now() - begin);
      rate = reached > rate ? reached : rate;
    }
  }
  CALL(cuMemFree_v2, (pointer), from);
  CALL(cuMemFree_v2, (pointer), to);
  return rate;
}

/* Seconds per launch of a kernel that does nothing, one behind another. */
static double launch_time(void) {
  static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                             ".visible .entry nothing() { ret; }\n";
  void *module = NULL, *function = NULL;
  if (CALL(cuModuleLoadDataEx,
           (void **, const void *, unsigned, int *, void **), &module, text, 0,
           NULL, NULL) != 0 ||
      CALL(cuModuleGetFunction, (void **, void *, const char *), &function,
           module, "nothing") != 0)
    return 0;
  double least = 0;
  for (int round = 0; round < 10; ++round) {
    double begin = now();
    for (int i = 0; i < 1000; ++i)
      if (CALL(cuLaunchKernel,
               (void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **),
               function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL) != 0)
        return 0;
    if (wait_all() != 0)
      return 0;
    double seconds = (now() - begin) / 1000;
    least = round == 0 || seconds < least ? seconds : least;
  }
  return least;
}

/* Seconds of a product of n x n matrices of f32 by cuBLAS, where it is there.
 */
static double sgemm_time(int n) {
  static const char *names[] = {"libcublas.so.13", "libcublas.so.12",
                                "libcublas.so.11", "libcublas.so"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !library; ++i)
    library = dlopen(names[i], RTLD_NOW);
  if (!library)
    return 0;
  int (*create)(void **) = (int (*)(void **))dlsym(library, "cublasCreate_v2");
  int (*sgemm)(void *, int, int, int, int, int, const float *, const void *,
               int, const void *, int, const float *, void *, int) =
      (int (*)(void *, int, int, int, int, int, const float *, const void *,
               int, const void *, int, const float *, void *,
               int))dlsym(library, "cublasSgemm_v2");
  void *handle = NULL;
  if (!create || !sgemm || create(&handle) != 0)
    return 0;
  size_t bytes = sizeof(float) * (size_t)n * (size_t)n;
  pointer memory[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i)
    if (CALL(cuMemAlloc_v2, (pointer *, size_t), &memory[i], bytes) != 0 ||
        CALL(cuMemsetD32_v2, (pointer, unsigned, size_t), memory[i], 0x3e99999a,
             bytes / 4) != 0)
      return 0;
  float one = 1, zero = 0;
  double least = 0;
  for (int round = 0; round < 6; ++round) {
    double begin = now();
    if (sgemm(handle, 0, 0, n, n, n, &one, (void *)memory[0], n,
              (void *)memory[1], n, &zero, (void *)memory[2], n) != 0 ||
        CALL(cuCtxSynchronize, (void), ) != 0)
      return 0;
    double seconds = now() - begin;
    if (round > 0)
      least = round == 1 || seconds < least ? seconds : least;
  }
  for (int i = 0; i < 3; ++i)
    CALL(cuMemFree_v2, (pointer), memory[i]);
  return least;
}

static int probe(int n) {
  char name[256] = "";
  void *context = NULL;
  driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!driver || CALL(cuInit, (unsigned), 0) != 0 ||
      CALL(cuDeviceGetName, (char *, int, int), name, sizeof(name), 0) != 0 ||
      CALL(cuDevicePrimaryCtxRetain, (void **, int), &context, 0) != 0 ||
      CALL(cuCtxSetCurrent, (void *), context) != 0) {
    fprintf(stderr, "no GPU: %s\n", driver ? "the driver refuses" : dlerror());
    return 1;
  }
  for (char *at = name; *at; ++at)
    *at = *at == ' ' ? '_' : *at;
  printf("gpu %s\npeak_flops %g\n", name, peak_flops());
  printf("copy_rate %g\nlaunch_time %g\n", copy_rate(n), launch_time());
  printf("sgemm_time %g\n", sgemm_time(n));
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 6 && strcmp(argv[1], "compare") == 0)
    return compare(argv[2], argv[3], atof(argv[4]), argv[5]);
  if (argc == 3 && strcmp(argv[1], "probe") == 0)
    return probe(atoi(argv[2]));
  fprintf(stderr, "usage: tool compare GOT.npy WANT.npy TOLERANCE TYPE\n"
                  "       tool probe N\n");
  return 2;
}
