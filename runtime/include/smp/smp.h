/* SPDX-License-Identifier: Apache-2.0
 * The C API of the runtime. Stable since 0.1: an application that was compiled
 * with this header runs with every later library of the same SONAME.
 * Functions are only added, and fields at the ends of structs. A struct that
 * you make carries its size, by its SMP_..._INIT; one that you are given is
 * never copied by its sizeof, nor stepped over: lists of them are lists of
 * pointers.
 *
 * Ownership: smp_*_create and smp_*_open give you an object; give it back with
 * the matching smp_*_destroy, which accepts NULL. Every other pointer is
 * borrowed for the call, unless its function says how long it stays valid.
 * `out_` parameters are written only on success.
 *
 * Errors: functions that can fail return NULL, or an error that you own
 * (smp_error_destroy). A pointer that must not be NULL and is, is such an
 * error; functions that return something else do nothing then, and give what
 * they give where there is nothing: 0, NULL or "". That holds for what the
 * header does not say may be NULL, handles and out_ parameters among it.
 *
 * Threads: one call at a time per object, but for smp_session_request_stop,
 * which any thread may call at any time. Objects may be used by different
 * threads one after the other, and different objects at once.
 *
 * Order: a program may be destroyed while sessions use it, a communicator may
 * not. Strings are UTF-8 and end with a zero byte.
 */
#ifndef SMP_SMP_H
#define SMP_SMP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMP_C_API __attribute__((visibility("default")))
/* What an enum can hold in C, it can in C++. */
#ifdef __cplusplus
#define SMP_C_ENUM : int
#else
#define SMP_C_ENUM
#endif

/* The version of this header. */
#define SMP_VERSION_MAJOR 0
#define SMP_VERSION_MINOR 1
#define SMP_VERSION_PATCH 0
/* The version of the library, as major * 1000000 + minor * 1000 + patch. */
SMP_C_API uint32_t smp_version(void);
/* "0.1.0"; valid for ever. */
SMP_C_API const char *smp_version_string(void);

/*===-- Errors -----------------------------------------------------------===*/

typedef struct smp_error smp_error;
/* What the caller can do about an error. */
typedef enum smp_code SMP_C_ENUM {
  SMP_INVALID_ARGUMENT = 1,    /* this call can never succeed; fix the caller */
  SMP_RESOURCE_EXHAUSTED = 2,  /* out of memory or slots; may succeed later */
  SMP_FAILED_PRECONDITION = 3, /* wrong state; fix the state, then call again */
  SMP_DATA_LOSS = 4,           /* the bytes are not what was written */
  SMP_DEADLINE_EXCEEDED = 5,   /* no progress within the deadline */
  SMP_CANCELLED = 6,           /* someone asked for a stop */
  SMP_UNAVAILABLE = 7,         /* something outside failed: a file, a peer */
  SMP_INTERNAL = 8             /* a bug in smp */
} smp_code;
/* 0 for no error. */
SMP_C_API smp_code smp_error_code(const smp_error *error);
/* Valid as long as the error; "" for none. */
SMP_C_API const char *smp_error_message(const smp_error *error);
SMP_C_API void smp_error_destroy(smp_error *error);

/*===-- Log --------------------------------------------------------------===*/

/* `message` is not ended by a zero byte. From any thread, one call at a time.
 */
typedef void (*smp_log)(void *user, int is_warning, const char *message,
                        size_t size);

/*===-- Tensors ----------------------------------------------------------===*/

typedef enum smp_dtype SMP_C_ENUM {
  SMP_F64 = 0,
  SMP_F32 = 1,
  SMP_BF16 = 2,
  SMP_F16 = 3,
  SMP_I64 = 4,
  SMP_I32 = 5,
  SMP_I16 = 6,
  SMP_I8 = 7,
  SMP_U64 = 8,
  SMP_U32 = 9,
  SMP_U16 = 10,
  SMP_U8 = 11,
  SMP_BOOL = 12 /* one byte, 0 or 1 */
} smp_dtype;

/* A dense row-major tensor:
 *   smp_tensor x = SMP_TENSOR_INIT;
 *   x.name = "x"; ...
 */
typedef struct smp_tensor {
  size_t size; /* sizeof(smp_tensor), the same for all of an array */
  const char *name;
  smp_dtype dtype;
  size_t rank; /* at most 254 */
  const int64_t *shape;
  void *data;   /* only read where it is an input */
  size_t bytes; /* of `data`; ignored where it is an input */
} smp_tensor;
#define SMP_TENSOR_INIT {sizeof(smp_tensor), NULL, SMP_F64, 0, NULL, NULL, 0}

/* An input or output of an entry, or a variable. */
typedef struct smp_signature {
  const char *name;
  smp_dtype dtype;
  size_t rank;
  const int64_t *shape; /* of one microbatch */
  int32_t batch_axis;   /* that microbatches are split along; -1: none */
  /* Of an output, what becomes of the values of several microbatches: "concat"
   * (along batch_axis), "same", "sum", "mean", "each", "mixed" or "unknown" (a
   * step has one only); else "". */
  const char *join;
  /* Of a variable: "parameter", "optimizer", "state", "random" or "constant";
   * else "". */
  const char *kind;
} smp_signature;

/*===-- Programs ---------------------------------------------------------===*/

/* A compiled program. It is executable code: load it only from whom you would
 * load a shared library from. */
typedef struct smp_program smp_program;
/* Maps the file, and the weights beside it if it names some. */
SMP_C_API smp_error *smp_program_open(const char *path,
                                      smp_program **out_program);
/* The same from memory that outlives the program and its sessions; `data` is at
 * a multiple of 16. `weights` are those beside the program; may be NULL. */
SMP_C_API smp_error *smp_program_create(const void *data, size_t size,
                                        const void *weights,
                                        size_t weights_size,
                                        smp_program **out_program);
SMP_C_API void smp_program_destroy(smp_program *program);

/* Entries are numbered from 0. What these return is valid as long as the
 * program; an entry or position that does not exist gives NULL or 0. */
SMP_C_API size_t smp_program_entry_count(const smp_program *program);
SMP_C_API const char *smp_program_entry_name(const smp_program *program,
                                             size_t entry);
/* "train", "eval", "predict" or "global". */
SMP_C_API const char *smp_program_entry_mode(const smp_program *program,
                                             size_t entry);
/* How many microbatches a step has; 0: any number. */
SMP_C_API uint32_t smp_program_entry_microbatches(const smp_program *program,
                                                  size_t entry);
SMP_C_API size_t smp_program_input_count(const smp_program *program,
                                         size_t entry);
SMP_C_API const smp_signature *smp_program_input(const smp_program *program,
                                                 size_t entry, size_t position);
SMP_C_API size_t smp_program_output_count(const smp_program *program,
                                          size_t entry);
SMP_C_API const smp_signature *
smp_program_output(const smp_program *program, size_t entry, size_t position);
SMP_C_API size_t smp_program_variable_count(const smp_program *program);
SMP_C_API const smp_signature *smp_program_variable(const smp_program *program,
                                                    size_t position);
/* The same for equal programs, another one for others: what ranks compare. */
SMP_C_API uint64_t smp_program_fingerprint(const smp_program *program);

/*===-- Ranks ------------------------------------------------------------===*/

/* Connects the processes, or threads, that run one program together. */
typedef struct smp_communicator smp_communicator;
/* Ranks 0 to size - 1 inside this process; `out_communicators` has room for
 * `size`. */
SMP_C_API smp_error *
smp_communicators_create_in_process(uint32_t size,
                                    smp_communicator **out_communicators);

/* This process as one rank of several, and how they find each other. Rank 0
 * listens at `address`: "tcp:host:port" or "unix:/path". */
typedef struct smp_socket_options smp_socket_options;
SMP_C_API smp_socket_options *
smp_socket_options_create(uint32_t rank, uint32_t size, const char *address);
SMP_C_API void smp_socket_options_destroy(smp_socket_options *options);
/* Seconds for all ranks to have met, and at the end for the others to hear that
 * this one leaves, at most 1e9. Default 60; 0: for ever to meet, a minute to
 * leave. */
SMP_C_API void smp_socket_options_set_deadline(smp_socket_options *options,
                                               double seconds);
/* Ranks of different jobs turn each other away. */
SMP_C_API void smp_socket_options_set_job(smp_socket_options *options,
                                          const char *job);
/* What all ranks run, by its fingerprint; where two differ, the start ends on
 * both sides at once. `name` stands for it in messages. */
SMP_C_API void smp_socket_options_set_program(smp_socket_options *options,
                                              uint64_t fingerprint,
                                              const char *name);
/* What only ranks of the job know: the same bytes for all, 16 or more. Each
 * side of a connection proves that it knows it; it is never sent. Nothing is
 * encrypted: against who can change packets on their way only a tunnel helps.
 * Without a secret only ranks of one machine meet. */
SMP_C_API void smp_socket_options_set_secret(smp_socket_options *options,
                                             const void *secret, size_t size);
/* Lets ranks beyond this machine meet without a secret: whoever reaches the
 * port can be one of them. */
SMP_C_API void smp_socket_options_allow_no_secret(smp_socket_options *options);
/* Told of connections that are turned away. */
SMP_C_API void smp_socket_options_set_log(smp_socket_options *options,
                                          smp_log log, void *user);

/* Returns when all ranks have met. */
SMP_C_API smp_error *smp_communicator_open(const smp_socket_options *options,
                                           smp_communicator **out_communicator);
/* The same with these options and no others: for ranks of one machine. */
SMP_C_API smp_error *smp_communicator_create_sockets(
    uint32_t rank, uint32_t size, const char *address, const char *job,
    double deadline_seconds, smp_communicator **out_communicator);
/* Leaves: the other ranks get all that this one sent. */
SMP_C_API void smp_communicator_destroy(smp_communicator *communicator);

/*===-- Options ----------------------------------------------------------===*/

typedef struct smp_options smp_options;
SMP_C_API smp_options *smp_options_create(void);
SMP_C_API void smp_options_destroy(smp_options *options);
/* One device per partition: "cpu:0,cpu:1", which divide the cores that the
 * process may use; with several ranks the rank in front: "0/cpu:0,1/cpu:0".
 * What follows '=' is for the driver, as cores in "cpu:0=0-3,cpu:1=5,7".
 * Default: cpu:0, cpu:1 and so on. */
SMP_C_API void smp_options_set_devices(smp_options *options,
                                       const char *devices);
/* The highest level of kernels to use, as drivers name those of their devices;
 * the CPU's are "v2", "v3" and so on. Default: what there is. */
SMP_C_API void smp_options_set_level(smp_options *options, const char *level);
/* Seconds without progress after which a step ends with a report of who waits
 * for whom, at most 1e9. Default 60; 0: never. */
SMP_C_API void smp_options_set_deadline(smp_options *options, double seconds);
/* The most that one device may allocate. Default 0: no limit. */
SMP_C_API void smp_options_set_memory_limit(smp_options *options,
                                            uint64_t bytes);
/* Which values no kernel of a step may write: the step ends at the first one
 * with an error that names the op. Slow: for finding out. Default: OFF. */
typedef enum smp_numerics SMP_C_ENUM {
  SMP_NUMERICS_OFF = 0,
  SMP_NUMERICS_NAN = 1,
  SMP_NUMERICS_NAN_AND_INF = 2
} smp_numerics;
SMP_C_API void smp_options_set_check_numerics(smp_options *options,
                                              smp_numerics what);
/* The communicator, for this session alone, outlives it. */
SMP_C_API void smp_options_set_communicator(smp_options *options,
                                            smp_communicator *communicator);
/* With several ranks: adds an output that this rank wants. None: all. */
SMP_C_API void smp_options_want_output(smp_options *options, const char *name);

/* `allocate` returns memory at a multiple of `align`, or NULL; other memory,
 * or one function without the other, is SMP_INVALID_ARGUMENT. Both may be
 * called from any thread. */
typedef void *(*smp_allocate)(void *user, size_t bytes, size_t align);
typedef void (*smp_release)(void *user, void *data, size_t bytes);
SMP_C_API void smp_options_set_allocator(smp_options *options,
                                         smp_allocate allocate,
                                         smp_release release, void *user);

SMP_C_API void smp_options_set_log(smp_options *options, smp_log log,
                                   void *user);

/* When a stage, or a kernel of it, ran: nanoseconds of the steady clock. */
typedef struct smp_span {
  int is_kernel;
  const char *name; /* not ended by a zero byte */
  size_t name_size;
  uint32_t partition;
  uint32_t microbatch;
  uint64_t begin, end;
} smp_span;
/* Gets all spans of a step after it, on the thread that ran it. */
typedef void (*smp_profile)(void *user, const smp_span *const *spans,
                            size_t count);
SMP_C_API void smp_options_set_profile(smp_options *options,
                                       smp_profile profile, void *user);

/*===-- Sessions ---------------------------------------------------------===*/

/* A program on devices. A process that was forked off later cannot use it. */
typedef struct smp_session smp_session;
/* `options` may be NULL. */
SMP_C_API smp_error *smp_session_create(const smp_program *program,
                                        const smp_options *options,
                                        smp_session **out_session);
/* A step that smp_session_step_async started ends as smp_session_request_stop
 * ends it, and its `done` is called; waits for that, and for kernels that still
 * run. */
SMP_C_API void smp_session_destroy(smp_session *session);

/* Runs an entry over all microbatches that the inputs hold. Inputs are used
 * where they are. `bound` are outputs that the caller has memory for: only
 * name, data and bytes are looked at; may be NULL. No input and no other output
 * may be in that memory. `microbatches` is 0, or how
 * many there are, where no input says it. After SMP_DEADLINE_EXCEEDED tensors
 * stay valid until a later step succeeds or the session is gone. */
SMP_C_API smp_error *smp_session_step(smp_session *session, const char *entry,
                                      const smp_tensor *inputs,
                                      size_t input_count,
                                      const smp_tensor *bound,
                                      size_t bound_count,
                                      uint32_t microbatches);
/* The outputs of the last step, valid until the next one. A position or name
 * that does not exist gives NULL. */
SMP_C_API size_t smp_session_output_count(const smp_session *session);
SMP_C_API const smp_tensor *smp_session_output(const smp_session *session,
                                               size_t position);
SMP_C_API const smp_tensor *smp_session_find_output(const smp_session *session,
                                                    const char *name);

/* What becomes of the values that microbatches give to an output. */
typedef enum smp_combination SMP_C_ENUM {
  SMP_REDUCE_SUM = 1,  /* 16-bit floats are summed in f32; integers wrap */
  SMP_REDUCE_MEAN = 2, /* of floats */
  SMP_CONCAT = 3,      /* along the batch axis, which the output must have */
  SMP_STACK = 4        /* along a new first axis */
} smp_combination;
/* Of an output of the last step. *out_tensor is valid until the next call of
 * this function or the next step. */
SMP_C_API smp_error *smp_session_combine_output(smp_session *session,
                                                const char *name,
                                                smp_combination combination,
                                                const smp_tensor **out_tensor);

/* Gets NULL, or an error that it owns, on a thread of the session; may call any
 * function of the session, destroy too. */
typedef void (*smp_done)(void *user, smp_error *error);
/* Starts a step; tensors' data stays valid until `done` is called, which
 * happens only when this returns NULL. */
SMP_C_API smp_error *
smp_session_step_async(smp_session *session, const char *entry,
                       const smp_tensor *inputs, size_t input_count,
                       const smp_tensor *bound, size_t bound_count,
                       uint32_t microbatches, smp_done done, void *user);
/* Makes the running step and later ones end with SMP_CANCELLED, as soon as the
 * kernels that run are done, until smp_session_clear_stop. An update that has
 * begun is made, and its step is no error. Not for signal handlers. */
SMP_C_API void smp_session_request_stop(smp_session *session);
SMP_C_API void smp_session_clear_stop(smp_session *session);

/* Copies a value of the variable's type and shape; `value->name` names it. */
SMP_C_API smp_error *smp_session_set_variable(smp_session *session,
                                              const smp_tensor *value);
/* Copies the value; `bytes` is its size. */
SMP_C_API smp_error *smp_session_get_variable(smp_session *session,
                                              const char *name, void *data,
                                              size_t bytes);

/* What these give are lists of pointers, with a NULL at the end, and one
 * struct. They are valid until the next call of the same function; `out_count`
 * may be NULL. For no session there is no list, and *out_count is 0.
 *
 * Memory of a device of this rank, now. */
typedef struct smp_device_memory {
  const char *device; /* "cpu:0" */
  uint32_t partition;
  uint64_t current_bytes;
  uint64_t peak_bytes;
  uint64_t imported_bytes; /* weights used where the program is mapped */
} smp_device_memory;
SMP_C_API const smp_device_memory *const *
smp_session_memory(smp_session *session, size_t *out_count);

/* What a stage took, over all steps since load. */
typedef struct smp_stage_time {
  const char *entry;
  const char *stage;
  uint32_t partition;
  double predicted_seconds; /* of one run */
  double measured_seconds;  /* of one run, on average */
  uint64_t runs;
} smp_stage_time;
SMP_C_API const smp_stage_time *const *
smp_session_stage_times(smp_session *session, size_t *out_count);

/* What opening the session took. */
typedef struct smp_load_time {
  double load_seconds;    /* all but the next three */
  double weights_seconds; /* checking and making variables' first values */
  double pack_seconds;    /* values derived from them */
  double jit_seconds;     /* devices making machine code of kernels */
} smp_load_time;
SMP_C_API const smp_load_time *smp_session_load_time(smp_session *session);

/*===-- DLPack -----------------------------------------------------------===*/

/* The published ABI of DLPack's DLManagedTensor, under names of our own so that
 * dlpack.h can be included, too: cast between the two. */
typedef struct smp_dl_tensor {
  void *data;
  int32_t device_type; /* 1: CPU, 3: pinned host memory */
  int32_t device_id;
  int32_t ndim;
  uint8_t type_code; /* 0: int, 1: unsigned, 2: float, 4: bfloat, 6: bool */
  uint8_t type_bits;
  uint16_t type_lanes;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} smp_dl_tensor;
typedef struct smp_dl_managed_tensor {
  smp_dl_tensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct smp_dl_managed_tensor *self);
} smp_dl_managed_tensor;

/* A DLPack tensor as an input called `name`: no copy; both are borrowed as long
 * as *out_tensor is used, which is SMP_TENSOR_INIT before. The tensor must be
 * row-major and in host memory. */
SMP_C_API smp_error *smp_tensor_from_dlpack(const char *name,
                                            const smp_dl_managed_tensor *from,
                                            smp_tensor *out_tensor);
/* A view of an output, or any tensor: its data stays where and whose it is.
 * Give the view back with its deleter. */
SMP_C_API smp_error *smp_tensor_to_dlpack(const smp_tensor *tensor,
                                          smp_dl_managed_tensor **out_tensor);

#ifdef __cplusplus
}
#endif

/* Checkpoints, and models for those who run them. */
#include "smp/checkpoint.h"

#endif /* SMP_SMP_H */
