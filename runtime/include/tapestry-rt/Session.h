/*===- Session.h - Tensors that stay distributed between programs -----------===
 *
 * Plain C. A session holds named tensors on the ranks of this process, which
 * are threads, one per device. Programs are applied to them; what a program
 * puts out stays where its plan leaves it, and what the next one reads in
 * another layout goes from rank to rank.
 *
 * Functions that return int return an exit status: 0 done; 1 what was asked for
 * or a file is wrong; 3 the machine is not able; 4 a rank failed. After a
 * failure the session's tensors are as they were, and tapestry_session_message
 * says what is wrong. One thread at a time may use a session.
 *
 *===------------------------------------------------------------------------===*/
#ifndef TAPESTRY_RT_SESSION_H
#define TAPESTRY_RT_SESSION_H

#include "tapestry-rt/ABI.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of what is declared here. */
#define TAPESTRY_SESSION_VERSION 2

typedef struct TapestrySession TapestrySession;

typedef struct TapestrySessionOptions {
  uint32_t version;     /* TAPESTRY_SESSION_VERSION */
  uint32_t struct_size; /* sizeof(TapestrySessionOptions) */
  int64_t devices;      /* ranks: 1 to 1,024 */
  int64_t memory_limit; /* bytes of each rank; 0: what there is */
  int32_t progress;     /* 1: lines on standard error while programs run long */
} TapestrySessionOptions;

/* "f32", and the bytes of an element; null and 0 for what is no TapestryDType.
 */
const char *tapestry_type_name(int32_t dtype);
int64_t tapestry_type_bytes(int32_t dtype);

/* Null where the options are wrong; *problem is then a text that stays. */
TapestrySession *tapestry_session_open(const TapestrySessionOptions *options,
                                       const char **problem);
/* Frees all tensors. Null is accepted. */
void tapestry_session_close(TapestrySession *session);
/* What the last call that failed has to say, one message, where a file is to
 * blame with its name: "x.npy: error: ...". Stays until the next call. */
const char *tapestry_session_message(const TapestrySession *session);

/* A tensor from an .npy file, of which each rank reads its part: an equal block
 * of the longest dimension, or all where no dimension has a point for every
 * rank. `type` is the element type where the file's is not meant ("bf16"), else
 * null. Names are any text that is not empty, in UTF-8, without '='
 * and control characters; a tensor that has the name is replaced. */
int tapestry_session_load(TapestrySession *session, const char *name,
                          const char *path, const char *type);
/* The same from the caller's memory, row-major, which is copied. `dtype` is a
 * TapestryDType. */
int tapestry_session_put(TapestrySession *session, const char *name,
                         int32_t dtype, int32_t rank, const int64_t *shape,
                         const void *data);

/* Which tensor of the session stands for an input of a program, or under which
 * name an output is kept. */
typedef struct TapestryBinding {
  const char *in_program;
  const char *in_session;
} TapestryBinding;

/* Runs a program for as many devices as the session has. Names without a
 * binding are the same in both; an input that the session has no tensor for is
 * read from the program's file, if that names one. Outputs replace the tensors
 * of their names when all ranks are done, so that until then both are there;
 * those with a file are also written. The program is not used after the call. A
 * report of the run goes to `report_path`, unless that is null. */
int tapestry_session_apply(TapestrySession *session,
                           const TapestryProgram *program,
                           const TapestryBinding *bindings,
                           int64_t num_bindings, const char *report_path);

/* The tensors by number, 0 to count - 1, in the order of their names. */
int64_t tapestry_session_count(const TapestrySession *session);
const char *tapestry_session_name(const TapestrySession *session,
                                  int64_t number);
/* Type, shape, boxes and owners of a tensor; what they point to stays until the
 * tensor is replaced or dropped. */
int tapestry_session_describe(TapestrySession *session, const char *name,
                              TapestryTensor *tensor);
/* The part of a device where it lies, row-major in its box, to be read as long;
 * null where there is no such tensor or device. */
const void *tapestry_session_part(const TapestrySession *session,
                                  const char *name, int64_t device);
/* Copies the elements of a box, one range per dimension, or of the whole where
 * `box` is null, to `data`, row-major. */
int tapestry_session_read(TapestrySession *session, const char *name,
                          const TapestryRange *box, void *data);

/* Writes an .npy file, each rank its part; it appears whole or not at all. */
int tapestry_session_export(TapestrySession *session, const char *name,
                            const char *path);
int tapestry_session_drop(TapestrySession *session, const char *name);

/* Writes all tensors to a folder: an .npy file for each, and manifest.json. It
 * is brought to the disk beside its place and takes it whole; a checkpoint that
 * is there stays until then, and a folder that holds anything else is refused.
 */
int tapestry_session_checkpoint(TapestrySession *session, const char *path);
/* Reads them back, each rank its part: that which it had where there are as
 * many ranks, else as tapestry_session_load does. Files whose size or checksum
 * is not the manifest's are refused. Tensors of other names stay. */
int tapestry_session_restore(TapestrySession *session, const char *path);

#ifdef __cplusplus
}
#endif
#endif /* TAPESTRY_RT_SESSION_H */
