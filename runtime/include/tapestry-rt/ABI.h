/*===- ABI.h - The border between generated programs and the runtime -------===
 *
 * Plain C. What compiler and runtime share: the compiler emits the structures
 * below as constants (lib/Conversion/CommToRuntime) and calls the functions;
 * runtime/lib/Run implements them. Change both together and raise
 * TAPESTRY_ABI_VERSION.
 *
 *===------------------------------------------------------------------------===*/
#ifndef TAPESTRY_RT_ABI_H
#define TAPESTRY_RT_ABI_H

#include "tapestry-rt/Block.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAPESTRY_ABI_VERSION 21

/* Element types as they are stored; f16 and bf16 as 2-byte patterns, bool as
 * one byte 0 or 1, complex numbers as real and imaginary part. Of collectives
 * integers have no sign: signed and unsigned ones are moved alike, and combined
 * by the program's own function. */
enum TapestryDType {
  TAPESTRY_F64 = 0,
  TAPESTRY_F32 = 1,
  TAPESTRY_F16 = 2,
  TAPESTRY_BF16 = 3,
  TAPESTRY_I8 = 4,
  TAPESTRY_I16 = 5,
  TAPESTRY_I32 = 6,
  TAPESTRY_I64 = 7,
  TAPESTRY_BOOL = 8,
  TAPESTRY_U8 = 9,
  TAPESTRY_U16 = 10,
  TAPESTRY_U32 = 11,
  TAPESTRY_U64 = 12,
  TAPESTRY_C64 = 13,
  TAPESTRY_C128 = 14
};

enum TapestrySortMode {
  TAPESTRY_SORT_DESCENDING = 1,
  TAPESTRY_SORT_INDICES = 2, /* where the elements are, not themselves */
  TAPESTRY_SORT_SELECT = 4,  /* few of many: one pass keeps the best */
  TAPESTRY_SORT_WIDE = 8,    /* rows may have 2^32 elements and more */
  /* Indices, below 2^32, of elements of up to 4 bytes are the lower half of
   * numbers that without a sign are in the order of the elements. */
  TAPESTRY_SORT_PACKED = 16
};

enum TapestryCollectiveKind {
  TAPESTRY_ALL_GATHER = 0,
  TAPESTRY_ALL_TO_ALL = 1,
  TAPESTRY_ALL_REDUCE = 2,
  TAPESTRY_REDUCE_SCATTER = 3,
  TAPESTRY_COLLECTIVE_PERMUTE = 4,
  TAPESTRY_HALO_EXCHANGE = 5
};

/* How a reduction combines two values; the compiler's numbers
 * (Interfaces/Monoid.td). All are associative and commutative, so that an
 * algorithm may combine in any order. max and min propagate NaN; integers are
 * signed and wrap. CUSTOM is known by its function alone. */
enum TapestryMonoid {
  TAPESTRY_MONOID_NONE = 0,
  TAPESTRY_MONOID_ADD = 1,
  TAPESTRY_MONOID_MUL = 2,
  TAPESTRY_MONOID_MAX = 3,
  TAPESTRY_MONOID_MIN = 4,
  TAPESTRY_MONOID_AND = 5,
  TAPESTRY_MONOID_OR = 6,
  TAPESTRY_MONOID_XOR = 7,
  TAPESTRY_MONOID_CUSTOM = 8
};

/* Where memory lies: the host's, or that of the GPU that a rank drives. */
enum TapestryMemorySpace { TAPESTRY_HOST = 0, TAPESTRY_CUDA = 1 };

/* lo <= x < hi; empty when hi <= lo. */
typedef struct TapestryRange {
  int64_t lo, hi;
} TapestryRange;

/* A tensor that enters or leaves the program. `boxes` holds, for each device,
 * `rank` ranges: the part that the device reads or produces, row-major and
 * contiguous in memory. Inputs may overlap (halos, replicas). For outputs
 * `owner[device]` is 1 on exactly the devices whose boxes together cover the
 * tensor once; it is null for inputs. */
typedef struct TapestryTensor {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *shape;
  const TapestryRange *boxes;
  const uint8_t *owner;
} TapestryTensor;

/* Combines `count` contiguous elements: acc[i] = acc[i] (+) in[i]. */
typedef void (*TapestryCombineFn)(void *acc, const void *in, int64_t count);

/* One collective of the program. `source` and `target` hold `rank` ranges per
 * device: what it holds before and after, row-major and contiguous. An exchange
 * may have several targets, which are disjoint; in memory one follows another.
 * Where it has fragments, disjoint boxes, of the targets no more than they hold
 * is read, nor is it sent or copied.
 * all_gather, all_to_all, collective_permute, halo_exchange: pairwise exchange
 *   of box intersections, told apart by name alone. The source boxes are
 * disjoint but for replicas, told apart by `replica_of`; those of the devices
 * with one number hold all that these devices' targets need. all_reduce,
 * reduce_scatter: among the devices with equal `group_of`, around a ring, a
 * small all_reduce up and down a tree; the members' source boxes are equal,
 * `combine` is set. An all_reduce leaves the same box everywhere; the targets
 * of a reduce_scatter share the source's elements out among the members. */
typedef struct TapestryCollective {
  const char *vertex; /* name of the vertex whose tensor moves */
  int32_t kind;       /* TapestryCollectiveKind */
  int32_t dtype;
  int32_t rank;
  int32_t group;           /* devices per group */
  int32_t monoid;          /* TapestryMonoid; of what `combine` computes */
  int32_t space;           /* TapestryMemorySpace of the buffers */
  int32_t targets;         /* boxes per device in `target`; reductions: 1 */
  int32_t fragments;       /* boxes per device in `fragment`; 0: all is read */
  const int32_t *group_of; /* per device: its group's number */
  /* Per device: its coordinates on the axes that do not cut the source, as one
   * number. A receiver takes a part from the holder whose number equals its
   * own, so replicas serve their neighbours. Null for reductions. */
  const int32_t *replica_of;
  const TapestryRange *source;
  const TapestryRange *target;
  const TapestryRange *fragment; /* null without fragments */
  TapestryCombineFn combine;
  int64_t predicted_bytes; /* what one device sends, summed over devices */
  /* What one device copies from its own source to its own target as it is,
   * summed over devices; -1 where the compiler does not know. */
  int64_t predicted_copied_bytes;
} TapestryCollective;

/* An all_reduce of at most this many bytes per device goes up and down a
 * binomial tree. The planner prices it so (Support/Resharding.h,
 * smallAllReduceBytes). */
#define TAPESTRY_SMALL_ALL_REDUCE_BYTES 8192

/* What a program calls a reduction by that it carries out in parts: of part
 * `part` of `parts`, which are as long, along the first dimension of what each
 * device holds before, and after. The source is then the part's, the target the
 * whole one. All parts together are the collective, once. */
#define TAPESTRY_PART_SHIFT 32
#define TAPESTRY_PARTS_SHIFT 48
static inline int64_t tapestry_rt_part_of(int64_t index, int64_t part,
                                          int64_t parts) {
  return index | part << TAPESTRY_PART_SHIFT | parts << TAPESTRY_PARTS_SHIFT;
}

/* A kernel, and what it is called with. */
typedef void (*TapestryKernelFunction)(void *arguments);

/* A part of a kernel has at least about so many nanoseconds of work. */
#define TAPESTRY_PART_NANOSECONDS 25000

/* How many threads, of so many, run a kernel that takes one `work`
 * nanoseconds. */
static inline int64_t tapestry_rt_parts(int64_t work, int64_t threads) {
  int64_t parts = work / TAPESTRY_PART_NANOSECONDS;
  return parts < 1 ? 1 : parts < threads ? parts : threads;
}

typedef struct TapestryVertex {
  const char *name;
  int64_t flops; /* scalar operations of the whole vertex, all devices */
} TapestryVertex;

/* What the program itself copies: elements that it stores as it has loaded
 * them, for one vertex in one pass of the program or of a loop's body. */
typedef struct TapestryCopy {
  const char *vertex; /* empty: of no vertex, as what a loop begins with */
  /* What one device writes, summed over devices; -1 where the compiler does not
   * know. */
  int64_t predicted_bytes;
} TapestryCopy;

/* What a run ends with where data name an element that is not there: `place`,
 * "index ", `index`, the coordinate in `shape`, " is ", the value, ", but ",
 * `bound`. */
typedef struct TapestryRequirement {
  const char *place;
  const char *index;
  const char *bound;
  int64_t rank;
  const int64_t *shape;
  int64_t is_unsigned; /* the value; 0: it has a sign */
} TapestryRequirement;

/* What tapestry_rt_require is given where nothing is outside. */
#define TAPESTRY_NOTHING_OUTSIDE INT64_MAX

/* One rank's handle; opaque to the program. */
typedef struct TapestryRank TapestryRank;

typedef struct TapestryProgram {
  uint32_t abi_version; /* TAPESTRY_ABI_VERSION */
  uint32_t struct_size; /* sizeof(TapestryProgram) */
  const char *name;
  int64_t devices;
  int32_t num_inputs, num_outputs, num_collectives, num_vertices;
  const TapestryTensor *inputs;
  const TapestryTensor *outputs;
  const TapestryCollective *collectives;
  const TapestryVertex *vertices;
  /* Runs one rank once. inputs[i] is the rank's part of input i (not to be
   * written), outputs[i] a buffer for its part of output i. */
  void (*entry)(TapestryRank *rank, const void *const *inputs,
                void *const *outputs);
  /* Per device the most bytes that its arena will hold at once during one run
   * where ranks share memory; null where the compiler does not know. */
  const int64_t *predicted_peak_bytes;
  /* Names of the inputs that the source of the program has and no output
   * depends on: a file for them is accepted and not read. */
  int64_t num_unread_inputs;
  const char *const *unread_inputs;
  /* Names, as LLVM has them, of the processor features that the program's code
   * uses; a machine without one of them is refused before any of it runs. */
  int64_t num_features;
  const char *const *features;
  int64_t num_requirements;
  const TapestryRequirement *requirements;
  int64_t num_copies;
  const TapestryCopy *copies;
  /* Per input the file that is read, and per output the one that is written,
   * where the run names none; null: none is. A table may be null. */
  const char *const *input_files;
  const char *const *output_files;
  /* Per input 1 where the program calls tapestry_rt_take_in for it, which it is
   * not given before; null: for none. */
  const uint8_t *taken_in;
  /* Threads of a rank, which predicted_peak_bytes is of and a run has unless
   * it is told another number; 0: as many as there are cores for, and the
   * prediction is of one. */
  int64_t threads;
  /* TapestryMemorySpace of inputs, outputs and what the entry allocates. */
  int64_t space;
} TapestryProgram;

/* Code of a device in one form. */
typedef struct TapestryImage {
  const char *arch; /* "sm_80" */
  const void *data; /* PTX, with a zero behind */
  int64_t bytes;
} TapestryImage;

/* All kernels of a module, in some forms, of which a device takes one. */
typedef struct TapestryDeviceCode {
  int64_t num_images;
  const TapestryImage *images;
  int64_t num_kernels;
  const char *const *kernels;
} TapestryDeviceCode;

/* Matrices, one behind another, each row by row or, where it is transposed,
 * column by column. */
typedef struct TapestryMatrix {
  int64_t dtype; /* TapestryDType */
  int64_t transposed;
  int64_t pitch; /* elements from one row, or column, to the next */
  int64_t batch; /* from one matrix to the next; 0: all are one */
} TapestryMatrix;

enum TapestryEpilogue {
  TAPESTRY_EPILOGUE_BIAS = 1, /* a number per column, before what follows */
  TAPESTRY_EPILOGUE_RELU = 2,
  TAPESTRY_EPILOGUE_GELU = 4 /* the one by tanh */
};

/* Products of matrices, one per batch:
 *   result = epilogue(alpha left right + beta addend)
 * where `left` has `rows` rows and `terms` columns, `right` has `terms` rows
 * and `columns` columns, and `addend` is as the result. The result is not
 * transposed. f32, of f16 and bf16 too, is added in f32, f64 in f64 and i8 in
 * i32. */
typedef struct TapestryProduct {
  int64_t batches, rows, columns, terms;
  TapestryMatrix left, right, result;
  double alpha, beta;
  int64_t epilogue; /* a sum of TapestryEpilogue */
  int64_t tf32;     /* factors of f32 may be rounded to 10 bits behind the 1 */
} TapestryProduct;

#if defined(__cplusplus)
static_assert(sizeof(TapestryRange) == 16, "layout known to the compiler");
static_assert(sizeof(TapestryTensor) == 40, "layout known to the compiler");
static_assert(sizeof(TapestryCollective) == 104,
              "layout known to the compiler");
static_assert(sizeof(TapestryVertex) == 16, "layout known to the compiler");
static_assert(sizeof(TapestryRequirement) == 48,
              "layout known to the compiler");
static_assert(sizeof(TapestryCopy) == 16, "layout known to the compiler");
static_assert(sizeof(TapestryProgram) == 192, "layout known to the compiler");
static_assert(sizeof(TapestryImage) == 24, "layout known to the compiler");
static_assert(sizeof(TapestryDeviceCode) == 32, "layout known to the compiler");
static_assert(sizeof(TapestryProduct) == 160, "layout known to the compiler");
#endif

/* ---- called by generated code --------------------------------------------
 *
 * All ranks call the same collectives and points in the same order. After a
 * failure these functions do not return: the rank's frames are left without
 * being unwound, so generated code must own nothing but memory of the arena,
 * which is freed when the rank ends. All but the memory functions are for the
 * rank's own thread. */

/* The device number of this rank, 0 <= number < program->devices. */
int64_t tapestry_rt_device(TapestryRank *rank);
/* Runs collective number `index`, or the part that it stands for
 * (tapestry_rt_part_of). Buffers as its tables say; an empty box's
 * buffer may be null. Returns when `target` is complete and `source` may be
 * written again. Only for an all_reduce the two may be the same. */
void tapestry_rt_collective(TapestryRank *rank, int64_t index,
                            const void *source, void *target);
/* The same in two halves, between which the rank computes. Collectives are
 * carried out in the order in which they are started; others that are called
 * meanwhile, and all else that ranks do together, come behind what has been
 * started. From the start to the wait with the same arguments the program
 * writes neither buffer, nor reads `target`. Each start has one wait, before
 * the collective is started or called again and before the entry returns. */
void tapestry_rt_start(TapestryRank *rank, int64_t index, const void *source,
                       void *target);
void tapestry_rt_wait(TapestryRank *rank, int64_t index, const void *source,
                      void *target);
/* Returns when all ranks have called it. */
void tapestry_rt_point(TapestryRank *rank);
/* Output `output` is complete in `buffer`, which is what the entry was given
 * for it and stays as it is. Called by all ranks, in the order that they have
 * for collectives. Where the last run writes the output to a file, that is
 * whole and under its name when rank 0 returns, and with that after the next
 * point. */
void tapestry_rt_hand_out(TapestryRank *rank, int64_t output,
                          const void *buffer);
/* Puts the rank's part of input `input` into `buffer`, which is what the entry
 * was given for it and has not been read: of a file as it is now. Called by all
 * ranks, in the order that they have for collectives. */
void tapestry_rt_take_in(TapestryRank *rank, int64_t input, void *buffer);
/* Ends all ranks with requirement number `index` unless `first`, the row-major
 * number of the first element that is outside, is TAPESTRY_NOTHING_OUTSIDE;
 * `value` is that element. All ranks have the same. */
void tapestry_rt_require(TapestryRank *rank, int64_t index,
                         const int64_t *first, const int64_t *value);
/* Puts the rows of `source`, which lie `stride` elements apart, in order: the
 * first `length` elements of each, a TapestryDType that has a sign if it says
 * so. Of element number `first` and the following `count` - 1 `result` gets the
 * elements or, as int64_t, `offset` and the position in the row; what there is
 * no element for is 0. NaN is the largest value, -0.0 equals 0.0, equal
 * elements keep their order.
 *
 * `mode` is a sum of TapestrySortMode. A `run` that is not 0 says that so many
 * elements after another, of the last run what is left, are in order; there is
 * none with indices or a selection. `scratch` has room for an item of each of
 * the elements that are put in order, which are `count` of a selection or of
 * runs, else `length`, where `length` is `count` or there are runs and the item
 * has the size of a result's element, else for two, but of a selection for one:
 * items are elements, with indices 8 bytes where elements have up to 4 and rows
 * are not wide, else 16. */
void tapestry_rt_sort(int32_t dtype, int32_t mode, int64_t rows, int64_t stride,
                      int64_t length, int64_t run, int64_t first, int64_t count,
                      int64_t offset, const void *source, void *result,
                      void *scratch);
/* Calls the function of a block (Block.h) for a box of index points, unless
 * that is empty, and ends all ranks where it returns another number than 0.
 * `words` are the numbers of labels, inputs, outputs and parameters; per label
 * the range lo, hi and the extent; per tensor, first the inputs, its address,
 * type, rank, whether it is to be filled, an element's bits (two words: of
 * complex numbers the parts), and per dimension the tensor's extent, the part's
 * offset and size, and the stride; per parameter its type and value: the bits
 * of a double, or an integer. What is filled lies without gaps. The function is
 * given the host's memory: tensors of a device are copied there, and results
 * back. */
void tapestry_rt_block(TapestryRank *rank, TapestryBlockFunction function,
                       const int64_t *words);
/* Runs a kernel, which takes one thread about `work` nanoseconds, on as many of
 * the rank's threads as tapestry_rt_parts says. Each calls `function`, which
 * asks for its share of what there is to compute. */
void tapestry_rt_parallel(TapestryKernelFunction function, void *arguments,
                          int64_t work);
/* Of `units` points the first that the calling part of a kernel computes, or,
 * where `behind` is 1, the first that it does not compute any more. All
 * parts together compute each once; the last part has one where others have
 * none. */
int64_t tapestry_rt_share(int64_t units, int64_t behind);
/* Has the rank's device run kernel number `kernel` of `code`, behind what it
 * was told before: so many blocks of so many threads, none where there are no
 * blocks. `arguments` are the addresses of what the kernel takes, which is read
 * before this returns. A null rank: the one that runs on this thread. */
void tapestry_rt_launch(TapestryRank *rank, const TapestryDeviceCode *code,
                        int64_t kernel, int64_t blocks, int64_t threads,
                        void **arguments);
/* Has the rank's device compute products by the library that it has for them,
 * behind what it was told before. `addend`, which may be the result itself, is
 * null where beta is 0, and `bias` where the epilogue has none. `workspace` are
 * bytes that nothing else uses until then. Where there are no terms, the
 * result is left as it is. A null rank as above. */
void tapestry_rt_product(TapestryRank *rank, const TapestryProduct *product,
                         const void *left, const void *right,
                         const void *addend, void *result, const void *bias,
                         void *workspace, int64_t workspace_bytes);
/* Copies from the device's memory when all that it was told is done. */
void tapestry_rt_fetch(TapestryRank *rank, void *host, const void *device,
                       int64_t bytes);
/* Constants of the program that lie in the host's memory, as the device has
 * them: copied once, until the rank ends. */
const void *tapestry_rt_constant(TapestryRank *rank, const void *host,
                                 int64_t bytes);
/* Until the next call, time belongs to vertex number `vertex`, but for the time
 * in collectives, which is theirs. -1: to none. */
void tapestry_rt_vertex(TapestryRank *rank, int64_t vertex);
/* Copies number `index` have written `bytes` bytes. */
void tapestry_rt_copied(TapestryRank *rank, int64_t index, int64_t bytes);
/* Ends all ranks with this message; does not return. */
void tapestry_rt_fail(TapestryRank *rank, const char *message);
/* Memory of the rank's arena in a space (TapestryMemorySpace), aligned to 64
 * bytes at least. Ends all ranks when there is none left. A null rank stands
 * for the one that runs on the calling thread, or for none on a thread that is
 * none's, such as a helper that generated code starts. */
void *tapestry_rt_allocate(TapestryRank *rank, int32_t space,
                           uint64_t alignment, uint64_t bytes);
void tapestry_rt_free(TapestryRank *rank, int32_t space, void *memory);
/* The same with a null rank and the host's memory, under the names that MLIR's
 * memref lowering calls. */
void *_mlir_memref_to_llvm_alloc(uint64_t bytes);
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t bytes);
void _mlir_memref_to_llvm_free(void *memory);

/* ---- called by a program's main ------------------------------------------ */

/* The whole command line of a standalone program; returns the exit status. */
int tapestry_rt_main(int argc, char **argv, const TapestryProgram *program);

#ifdef __cplusplus
}
#endif
#endif /* TAPESTRY_RT_ABI_H */
