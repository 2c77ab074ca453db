/*===- Block.h - Functions that compute blocks of a program ----------------===
 *
 * Plain C. What an object file brings for `extern block` of .ein and
 * `tapestry.block`, given to `tapestry run`, `compile` and `reference` by
 * `--object`:
 *
 *   TAPESTRY_BLOCK(smooth) {
 *     const TapestryBlockTensor *x = &call->inputs[0], *y = &call->outputs[0];
 *     for (int64_t i = call->lo[0]; i < call->hi[0]; ++i)
 *       *(float *)tapestry_block_at1(y, i) =
 *           (*(float *)tapestry_block_at1(x, i) +
 *            *(float *)tapestry_block_at1(x, i + 1)) / 2;
 *     return 0;
 *   }
 *
 * The function is called once per device, several at once on threads, for a box
 * of the index space. It reads and writes only what the signature projects from
 * that box. That of an idempotent block makes the same bits of the same,
 * however often it is called. Of an output that combines along labels it
 * combines with what it finds there.
 *
 *===------------------------------------------------------------------------===*/
#ifndef TAPESTRY_RT_BLOCK_H
#define TAPESTRY_RT_BLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of all below. It is part of the names of functions, so that one
 * of another version is not found but named. */
#define TAPESTRY_BLOCK_VERSION 1

/* How elements are stored: f16 and bf16 as 2-byte patterns, bool as one byte 0
 * or 1, complex numbers as real and imaginary part. The numbers of
 * TapestryDType. */
enum TapestryBlockType {
  TAPESTRY_BLOCK_F64 = 0,
  TAPESTRY_BLOCK_F32 = 1,
  TAPESTRY_BLOCK_F16 = 2,
  TAPESTRY_BLOCK_BF16 = 3,
  TAPESTRY_BLOCK_I8 = 4,
  TAPESTRY_BLOCK_I16 = 5,
  TAPESTRY_BLOCK_I32 = 6,
  TAPESTRY_BLOCK_I64 = 7,
  TAPESTRY_BLOCK_BOOL = 8,
  TAPESTRY_BLOCK_U8 = 9,
  TAPESTRY_BLOCK_U16 = 10,
  TAPESTRY_BLOCK_U32 = 11,
  TAPESTRY_BLOCK_U64 = 12,
  TAPESTRY_BLOCK_C64 = 13,
  TAPESTRY_BLOCK_C128 = 14
};

/* A view of a tensor: the elements from `offsets` on, `sizes` of them. All
 * arrays have `rank` entries, all but `strides` in indices of the whole tensor,
 * whose shape is `extents`. That of a padded input may begin before index 0 and
 * end behind the last: there it holds the padding. */
typedef struct TapestryBlockTensor {
  void *data;   /* the element at `offsets` */
  int32_t type; /* TapestryBlockType */
  int32_t rank;
  const int64_t *extents;
  const int64_t *offsets;
  const int64_t *sizes;
  const int64_t *strides; /* in elements */
} TapestryBlockTensor;

/* A parameter: `number` of a floating-point type, else `integer`. */
typedef struct TapestryBlockParam {
  int32_t type; /* TapestryBlockType */
  int32_t unused;
  int64_t integer;
  double number;
} TapestryBlockParam;

typedef struct TapestryBlockCall {
  int32_t version;     /* TAPESTRY_BLOCK_VERSION */
  int32_t struct_size; /* sizeof(TapestryBlockCall) */
  int32_t num_labels, num_inputs, num_outputs, num_params;
  /* Per label the index points lo <= i < hi to compute, of `label_extents`;
   * none of the ranges is empty. */
  const int64_t *lo, *hi, *label_extents;
  const TapestryBlockTensor *inputs, *outputs;
  const TapestryBlockParam *params;
} TapestryBlockCall;

/* 0, or a number of the function's own, which ends the run. */
typedef int32_t (*TapestryBlockFunction)(const TapestryBlockCall *call);

/* Defines the function of that name, which is given `call`. */
#define TAPESTRY_BLOCK_JOIN(version, name) tapestry_block_v##version##_##name
#define TAPESTRY_BLOCK_SYMBOL(version, name) TAPESTRY_BLOCK_JOIN(version, name)
#ifdef __cplusplus
#define TAPESTRY_BLOCK_LINKAGE extern "C"
#else
#define TAPESTRY_BLOCK_LINKAGE
#endif
#define TAPESTRY_BLOCK(name)                                                   \
  TAPESTRY_BLOCK_LINKAGE int32_t TAPESTRY_BLOCK_SYMBOL(                        \
      TAPESTRY_BLOCK_VERSION, name)(const TapestryBlockCall *call)

/* Bytes of an element. */
static inline int64_t tapestry_block_bytes(int32_t type) {
  static const int8_t bytes[] = {8, 4, 2, 2, 1, 2, 4, 8, 1, 1, 2, 4, 8, 8, 16};
  return bytes[type];
}

/* The elements at these indices of the whole tensor. */
static inline void *tapestry_block_at(const TapestryBlockTensor *tensor,
                                      const int64_t *index) {
  int64_t place = 0, dim;
  for (dim = 0; dim < tensor->rank; ++dim)
    place += (index[dim] - tensor->offsets[dim]) * tensor->strides[dim];
  return (char *)tensor->data + place * tapestry_block_bytes(tensor->type);
}
static inline void *tapestry_block_at1(const TapestryBlockTensor *tensor,
                                       int64_t i) {
  return tapestry_block_at(tensor, &i);
}
static inline void *tapestry_block_at2(const TapestryBlockTensor *tensor,
                                       int64_t i, int64_t j) {
  int64_t index[2];
  index[0] = i;
  index[1] = j;
  return tapestry_block_at(tensor, index);
}
static inline void *tapestry_block_at3(const TapestryBlockTensor *tensor,
                                       int64_t i, int64_t j, int64_t k) {
  int64_t index[3];
  index[0] = i;
  index[1] = j;
  index[2] = k;
  return tapestry_block_at(tensor, index);
}

#ifdef __cplusplus
}
#endif
#endif /* TAPESTRY_RT_BLOCK_H */
