/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints and saved models by the C API. Since 0.1; a part of smp/smp.h,
 * whose rules on ownership, errors and threads hold here.
 *
 *   int64_t epoch = 0;
 *   smp_checkpoint_options *options = smp_checkpoint_options_create();
 *   smp_checkpoint_options_set_directory(options, "run");
 *   smp_checkpoint_options_add_session(options, NULL, session);
 *   smp_checkpoint_options_add_number(options, "epoch", &epoch);
 *   error = smp_checkpoint_manager_create(options, &manager);
 *   error = smp_checkpoint_manager_restore(manager, NULL, NULL);
 *   ... steps ...
 *   error = smp_checkpoint_manager_save(manager, NULL, NULL);
 *
 * What is promised of files, ranks and failures is what
 * smp/checkpoint/CheckpointManager.h says of the same calls in C++.
 */
#ifndef SMP_CHECKPOINT_H
#define SMP_CHECKPOINT_H

#include "smp/smp.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- What is kept, and how --------------------------------------------===*/

/* Wrong values are the error of creating a manager. */
typedef struct smp_checkpoint_options smp_checkpoint_options;
SMP_C_API smp_checkpoint_options *smp_checkpoint_options_create(void);
SMP_C_API void smp_checkpoint_options_destroy(smp_checkpoint_options *options);

/* What is kept, at least one thing. Names have letters, digits, '_', '-' and
 * '.'. Sessions, values and `user` outlive managers made of the options.
 *
 * Variables of the kind that the name says, "model", "optimizer", "state" or
 * "random"; NULL: of all kinds, for one session only. */
SMP_C_API void
smp_checkpoint_options_add_session(smp_checkpoint_options *options,
                                   const char *name, smp_session *session);
SMP_C_API void
smp_checkpoint_options_add_number(smp_checkpoint_options *options,
                                  const char *name, int64_t *value);
SMP_C_API void smp_checkpoint_options_add_real(smp_checkpoint_options *options,
                                               const char *name, double *value);
/* Points to what is to be saved; it is copied before the manager calls anything
 * else. */
typedef void (*smp_give_bytes)(void *user, const void **out_data,
                               size_t *out_size);
/* Takes what was saved; `data` is valid for the call, and never NULL. */
typedef void (*smp_take_bytes)(void *user, const void *data, size_t size);
/* Text or any bytes. Both are called on the thread that saves or restores. */
SMP_C_API void smp_checkpoint_options_add_bytes(smp_checkpoint_options *options,
                                                const char *name,
                                                smp_give_bytes give,
                                                smp_take_bytes take,
                                                void *user);

/* Default: "/opt/ml/checkpoints". Made by the first save. */
SMP_C_API void
smp_checkpoint_options_set_directory(smp_checkpoint_options *options,
                                     const char *directory);
/* Default "ckpt", as in "ckpt-1"; one manager at a time saves under it. */
SMP_C_API void smp_checkpoint_options_set_name(smp_checkpoint_options *options,
                                               const char *name);
/* How many stay; default: all. */
SMP_C_API void
smp_checkpoint_options_set_max_to_keep(smp_checkpoint_options *options,
                                       int64_t count);
/* Of those beyond, one stays for ever for each so many hours. Default: none. */
SMP_C_API void
smp_checkpoint_options_set_keep_every_hours(smp_checkpoint_options *options,
                                            double hours);
/* So many stay for their metrics (smp_save_options_set_metric), beside the
 * newest. Default: none. */
SMP_C_API void
smp_checkpoint_options_set_keep_best(smp_checkpoint_options *options,
                                     int64_t count, int larger_is_better);
/* A save is due when `*step` is `interval` or more beyond the last one. `*step`
 * is read when a save is asked for, and after a restore. Default: all are. */
SMP_C_API void
smp_checkpoint_options_set_interval(smp_checkpoint_options *options,
                                    const int64_t *step, int64_t interval);
/* The part of its time that training may lose to asynchronous saves, as 0.03;
 * those that would cost more are left out. Default: none is. */
SMP_C_API void
smp_checkpoint_options_set_budget(smp_checkpoint_options *options, double part);
/* While one save is under way and one waits, the next call waits for a place.
 * Default: it takes the place of the one that waits. */
SMP_C_API void
smp_checkpoint_options_wait_when_busy(smp_checkpoint_options *options);
/* Files of at most so many bytes of tensors. Default: one of parameters and one
 * of the rest, per rank. What is too few is the error of saves. */
SMP_C_API void
smp_checkpoint_options_set_max_shard_size(smp_checkpoint_options *options,
                                          int64_t bytes);
/* With several ranks: the one that writes, "/job:smp/task:1", the same on all
 * of them; another one is the error of saves and restores. Default: each writes
 * what it holds. */
SMP_C_API void
smp_checkpoint_options_set_io_device(smp_checkpoint_options *options,
                                     const char *task);
/* Default: the log of the first session. */
SMP_C_API void smp_checkpoint_options_set_log(smp_checkpoint_options *options,
                                              smp_log log, void *user);

/*===-- Managers ---------------------------------------------------------===*/

/* Checkpoints in a folder. */
typedef struct smp_checkpoint_manager smp_checkpoint_manager;
/* Reads what the folder holds. The options are copied. */
SMP_C_API smp_error *
smp_checkpoint_manager_create(const smp_checkpoint_options *options,
                              smp_checkpoint_manager **out_manager);
/* Waits for saves. */
SMP_C_API void smp_checkpoint_manager_destroy(smp_checkpoint_manager *manager);

/* The path of the latest checkpoint, valid until the next call of this
 * function; "" when there is none. */
SMP_C_API const char *
smp_checkpoint_manager_latest(smp_checkpoint_manager *manager);
/* Paths of those that are kept, oldest first, valid until the next call of this
 * function. Fills at most `room`, none for NULL, and returns how many there
 * are. */
SMP_C_API size_t smp_checkpoint_manager_checkpoints(
    smp_checkpoint_manager *manager, const char **out_paths, size_t room);
/* Keeps a checkpoint, "ckpt-3" or its path, until it is unpinned. */
SMP_C_API smp_error *smp_checkpoint_manager_pin(smp_checkpoint_manager *manager,
                                                const char *name);
SMP_C_API smp_error *
smp_checkpoint_manager_unpin(smp_checkpoint_manager *manager, const char *name);

/*===-- Saving -----------------------------------------------------------===*/

typedef struct smp_save_options smp_save_options;
SMP_C_API smp_save_options *smp_save_options_create(void);
SMP_C_API void smp_save_options_destroy(smp_save_options *options);
/* From 0. Default: one more than the largest that there was. */
SMP_C_API void smp_save_options_set_number(smp_save_options *options,
                                           int64_t number);
/* How good it is, for smp_checkpoint_options_set_keep_best. Default: none. */
SMP_C_API void smp_save_options_set_metric(smp_save_options *options,
                                           double metric);
/* Saves though smp_checkpoint_options_set_interval says that none is due. */
SMP_C_API void smp_save_options_ignore_interval(smp_save_options *options);

/* The checkpoint is durable when this returns. *out_path is its path without
 * suffix, valid until the next call of this function, or "" when no save was
 * due. `options` and `out_path` may be NULL. */
SMP_C_API smp_error *
smp_checkpoint_manager_save(smp_checkpoint_manager *manager,
                            const smp_save_options *options,
                            const char **out_path);

/* Gets NULL and the path, or "" when no save was due; or an error that it owns
 * and NULL. Called once, on a thread of the manager, or before the call that
 * asked for the save returns. It calls no manager and waits for no save. */
typedef void (*smp_saved)(void *user, smp_error *error, const char *path);
/* A save that goes on beside training. May outlive its manager. */
typedef struct smp_checkpoint_save smp_checkpoint_save;
/* Returns when values that the next step may change are copied. SMP_CANCELLED
 * is the result of a save that a newer one, or the budget, has left out. All of
 * `options`, `saved` and `out_save` may be NULL. Without a manager `saved` gets
 * the error, and *out_save is NULL. */
SMP_C_API void smp_checkpoint_manager_save_async(
    smp_checkpoint_manager *manager, const smp_save_options *options,
    smp_saved saved, void *user, smp_checkpoint_save **out_save);
/* Whether it is known what has become of it. */
SMP_C_API int smp_checkpoint_save_done(const smp_checkpoint_save *save);
/* Waits until then. The result is that of smp_checkpoint_manager_save, but that
 * *out_path is valid as long as `save`; `out_path` may be NULL. */
SMP_C_API smp_error *smp_checkpoint_save_wait(smp_checkpoint_save *save,
                                              const char **out_path);
/* The save itself goes on. */
SMP_C_API void smp_checkpoint_save_destroy(smp_checkpoint_save *save);

/* What has become of the saves that a manager was asked for. */
typedef struct smp_save_counts {
  uint64_t committed;
  uint64_t failed;
  uint64_t replaced; /* a newer one took their place while they waited */
  uint64_t spaced;   /* the budget left them out */
  uint64_t not_due;  /* the interval left them out */
  uint64_t waits;    /* calls that waited for a place */
} smp_save_counts;
/* Valid until the next call of this function. */
SMP_C_API const smp_save_counts *
smp_checkpoint_manager_counts(smp_checkpoint_manager *manager);

/*===-- Restoring --------------------------------------------------------===*/

typedef struct smp_restore_options smp_restore_options;
SMP_C_API smp_restore_options *smp_restore_options_create(void);
SMP_C_API void smp_restore_options_destroy(smp_restore_options *options);
/* Of any name in the folder: "ckpt-3", or its path. Default: the latest. */
SMP_C_API void smp_restore_options_set_name(smp_restore_options *options,
                                            const char *name);
/* What only the program or only the checkpoint has is no error. */
SMP_C_API void smp_restore_options_expect_partial(smp_restore_options *options);
/* When the latest is damaged, takes the newest that is not. */
SMP_C_API void smp_restore_options_fall_back(smp_restore_options *options);

/* Which names of the program and of a checkpoint match. What has another type
 * or shape is an error of restoring, which lists it, and never in a report. */
typedef struct smp_restore_report smp_restore_report;
typedef enum smp_match SMP_C_ENUM {
  SMP_MATCHED = 0,
  SMP_MISSING = 1, /* the program has them alone */
  SMP_EXTRA = 2    /* the checkpoint has them alone */
} smp_match;
/* Sets everything to a checkpoint, or nothing and gives an error; where there
 * is no checkpoint, nothing, which is no error. Waits for saves. `options` and
 * `out_report` may be NULL. */
SMP_C_API smp_error *
smp_checkpoint_manager_restore(smp_checkpoint_manager *manager,
                               const smp_restore_options *options,
                               smp_restore_report **out_report);
SMP_C_API void smp_restore_report_destroy(smp_restore_report *report);
/* What these two return is valid as long as the report. The path is "" when
 * nothing was restored; a kind or position that does not exist gives NULL. */
SMP_C_API const char *smp_restore_report_path(const smp_restore_report *report);
SMP_C_API const char *smp_restore_report_name(const smp_restore_report *report,
                                              smp_match kind, size_t position);
SMP_C_API size_t smp_restore_report_count(const smp_restore_report *report,
                                          smp_match kind);
/* That nothing is missing and nothing extra: the error lists each name. */
SMP_C_API smp_error *
smp_restore_report_assert_consumed(const smp_restore_report *report);

/*===-- Models for those who run them ------------------------------------===*/

/* Writes the session's program with its variables as they are now into a
 * folder: `program.smp` and, beside it, `model.safetensors`. Between steps, and
 * with several ranks by all of them. NULL: into "/opt/ml/model". A folder that
 * has a model is refused. */
SMP_C_API smp_error *smp_save_model(smp_session *session,
                                    const char *directory);

#ifdef __cplusplus
}
#endif

#endif /* SMP_CHECKPOINT_H */
