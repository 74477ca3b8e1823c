/* SPDX-License-Identifier: Apache-2.0
 * Hooks, rules and trials by the C API, of libsmp-debugger. Since 0.1; the
 * rules of smp/smp.h on ownership, errors and threads hold here.
 *
 *   smp_hook_config *config = smp_hook_config_create();
 *   smp_hook_config_set_out_dir(config, "run");
 *   smp_hook_config_set_save_interval(config, NULL, 10);
 *   smp_hook_config_add_reduction(config, "gradients", "abs_mean");
 *   error = smp_hook_create(config, NULL, &hook);
 *   smp_hook_config_destroy(config);
 *   error = smp_hook_register_loss(hook, "loss");
 *   error = smp_hook_attach(hook, session);
 *   ... steps ...
 *   error = smp_hook_close(hook);
 *
 * What hooks save, when, and in which files is what smp/capture/Hook.h and
 * smp/capture/HookConfig.h say of the same in C++. A mode is a word: "train",
 * "eval", "predict" or "global".
 */
#ifndef SMP_DEBUGGER_H
#define SMP_DEBUGGER_H

#include "smp/smp.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- What is saved ----------------------------------------------------===*/

/* Wrong values are the error of creating a hook, and a collection that can have
 * no tensor is that of attaching it. */
typedef struct smp_hook_config smp_hook_config;
/* Saves "losses", "metrics" and "sm_metrics" at every 500th step, in memory
 * alone. */
SMP_C_API smp_hook_config *smp_hook_config_create(void);
/* Of the JSON that SageMaker Debugger has, which can say more than what
 * follows. Functions below may change it. */
SMP_C_API smp_error *smp_hook_config_parse(const char *json,
                                           smp_hook_config **out_config);
/* The same of a file. NULL: of the one that the environment variable
 * SMDEBUG_CONFIG_FILE_PATH names, or
 * /opt/ml/input/config/debughookconfig.json. */
SMP_C_API smp_error *smp_hook_config_read(const char *path,
                                          smp_hook_config **out_config);
SMP_C_API void smp_hook_config_destroy(smp_hook_config *config);

/* The folder that is written. NULL: none. */
SMP_C_API void smp_hook_config_set_out_dir(smp_hook_config *config,
                                           const char *out_dir);
/* Every tensor is saved. */
SMP_C_API void smp_hook_config_save_all(smp_hook_config *config);
/* The collection is saved, as are those that functions below name. */
SMP_C_API void smp_hook_config_include_collection(smp_hook_config *config,
                                                  const char *collection);

/* These say it of a collection, or, where that is NULL, of all that do not say
 * it themselves; a regex without one is of the collection "default".
 *
 * Found anywhere in the name of a tensor. */
SMP_C_API void smp_hook_config_add_include_regex(smp_hook_config *config,
                                                 const char *collection,
                                                 const char *include_regex);
/* Multiples of it are saved, from `start_step` on (default 0) and before
 * `end_step` (default: none), beside `save_steps`. Steps are those of a mode,
 * from 0. */
SMP_C_API void smp_hook_config_set_save_interval(smp_hook_config *config,
                                                 const char *collection,
                                                 int64_t save_interval);
SMP_C_API void smp_hook_config_set_start_step(smp_hook_config *config,
                                              const char *collection,
                                              int64_t start_step);
SMP_C_API void smp_hook_config_set_end_step(smp_hook_config *config,
                                            const char *collection,
                                            int64_t end_step);
SMP_C_API void smp_hook_config_set_save_steps(smp_hook_config *config,
                                              const char *collection,
                                              const int64_t *save_steps,
                                              size_t count);
/* "mean", "abs_max", "l2_norm", "quantile_0.05" and the like take the place of
 * the elements. */
SMP_C_API void smp_hook_config_add_reduction(smp_hook_config *config,
                                             const char *collection,
                                             const char *reduction);
/* The elements are saved beside them. */
SMP_C_API void smp_hook_config_save_raw_tensor(smp_hook_config *config,
                                               const char *collection);

/*===-- How a hook works -------------------------------------------------===*/

typedef struct smp_hook_options smp_hook_options;
SMP_C_API smp_hook_options *smp_hook_options_create(void);
SMP_C_API void smp_hook_options_destroy(smp_hook_options *options);
/* Goes on in the folder of an earlier run. Default: such a folder is an error.
 */
SMP_C_API void smp_hook_options_resume(smp_hook_options *options);
/* Values wait there for the disk, those of a step as a whole. Default 64 MiB.
 */
SMP_C_API void smp_hook_options_set_buffer_bytes(smp_hook_options *options,
                                                 uint64_t bytes);
/* A step for which there is no room waits. Default: it is left out. */
SMP_C_API void smp_hook_options_wait_when_behind(smp_hook_options *options);
/* How many values of a name smp_hook_values has at most. Default 1000. */
SMP_C_API void smp_hook_options_set_keep_values(smp_hook_options *options,
                                                uint64_t count);
/* A hook that fails is logged by the session and off, and the step returns the
 * error. Default: the run goes on. */
SMP_C_API void smp_hook_options_stop_on_error(smp_hook_options *options);
/* Gets what is no error, also what smp_hook_summary says. Default: nobody does.
 */
SMP_C_API void smp_hook_options_set_log(smp_hook_options *options, smp_log log,
                                        void *user);

/*===-- Hooks ------------------------------------------------------------===*/

/* Saves what steps of one session give. It may be destroyed before the session
 * or after it, and called while a step runs. */
typedef struct smp_hook smp_hook;
/* Both are copied; `options` may be NULL. */
SMP_C_API smp_error *smp_hook_create(const smp_hook_config *config,
                                     const smp_hook_options *options,
                                     smp_hook **out_hook);
/* Of the file that smp_hook_config_read finds for NULL; *out_hook is NULL where
 * there is none. `options` may be NULL. */
SMP_C_API smp_error *
smp_hook_create_from_environment(const smp_hook_options *options,
                                 smp_hook **out_hook);
/* As smp_hook_close, whose error is lost. */
SMP_C_API void smp_hook_destroy(smp_hook *hook);

/* An output, or a value that the program was compiled to show, is in the
 * collection "losses", or another one, which is saved from now on. */
SMP_C_API smp_error *smp_hook_register_loss(smp_hook *hook, const char *output);
SMP_C_API smp_error *smp_hook_add_to_collection(smp_hook *hook,
                                                const char *collection,
                                                const char *output);

/* Saves from now on. Every session has a hook of its own. */
SMP_C_API smp_error *smp_hook_attach(smp_hook *hook, smp_session *session);
/* Saves nothing from now on, waits until all is written, and tells readers that
 * the run is over. The error is that of the disk. */
SMP_C_API smp_error *smp_hook_close(smp_hook *hook);

/* From the next step on entries of mode "global" are of this one. */
SMP_C_API smp_error *smp_hook_set_mode(smp_hook *hook, const char *mode);
/* What that says, or else of the last step; "global" before the first. Valid
 * for ever. */
SMP_C_API const char *smp_hook_mode(const smp_hook *hook);

/* "scalar/<name>" of the step that was made last. With `sm_metric` also for the
 * metrics of SageMaker. */
SMP_C_API smp_error *smp_hook_save_scalar(smp_hook *hook, const char *name,
                                          double value, int sm_metric);
/* What the collections, which are saved from now on, save of a tensor at the
 * step that was made last; its `bytes` are ignored. No collection: "default".
 */
SMP_C_API smp_error *smp_hook_save_tensor(smp_hook *hook,
                                          const smp_tensor *tensor,
                                          const char *const *collections,
                                          size_t collection_count);

/* What became of the steps of which something was to be written. */
typedef struct smp_step_counts {
  uint64_t written;
  uint64_t left_out; /* found no room in the buffers */
  uint64_t lost;     /* waited when the disk failed */
  uint64_t bytes;    /* in the files of those that are written */
} smp_step_counts;
/* Up to now; final after smp_hook_close. Valid until the next call of this
 * function; NULL for no hook. */
SMP_C_API const smp_step_counts *smp_hook_counts(smp_hook *hook);
/* After smp_hook_close how many steps the folder has, or why it has none; ""
 * before, and where no folder was written. Valid until the next call of this
 * function. */
SMP_C_API const char *smp_hook_summary(smp_hook *hook);

/* What a hook holds of a loss, or of what was added to a collection. */
typedef struct smp_captured_value {
  const char *mode;     /* valid for ever */
  uint64_t mode_step;   /* from 0, among the steps of this mode */
  uint64_t global_step; /* from 0, among all steps */
  double mean;          /* of all elements */
} smp_captured_value;
/* Oldest first: a list of pointers, with a NULL at the end, that is valid until
 * the next call of this function. `out_count` may be NULL. NULL for no hook. */
SMP_C_API const smp_captured_value *const *
smp_hook_values(smp_hook *hook, const char *output, size_t *out_count);

/*===-- Rules ------------------------------------------------------------===*/

/* That a rule is met. */
typedef struct smp_finding {
  const char *rule;
  const char *tensor; /* "": the run as a whole */
  const char *mode;
  uint64_t mode_step;
  uint64_t global_step;
  const char *message; /* a sentence that has all of this, and the figures */
} smp_finding;

/* Called when a rule is met for the first time, after the step, on its thread,
 * on several ranks on each; borrows the finding. The session is free: it may
 * save a checkpoint, and read and set variables, but make no step. Unless it
 * returns 0 the run ends: the step, which was made all the same, returns
 * SMP_FAILED_PRECONDITION with the message. */
typedef int (*smp_rule_action)(void *user, const smp_finding *finding);
/* Ends the run. */
SMP_C_API int smp_stop_run(void *user, const smp_finding *finding);

/* Evaluates rules after the steps of one session. It may be destroyed before
 * the session or after it, and is called between steps. On several ranks each
 * attaches the same rules. */
typedef struct smp_rule_watch smp_rule_watch;
/* `log` gets what is found by rules without an action, and rules that fail.
 * NULL: that of the session does. */
SMP_C_API smp_rule_watch *smp_rule_watch_create(smp_log log, void *user);
SMP_C_API void smp_rule_watch_destroy(smp_rule_watch *watch);
/* A rule by its name, and parameters behind it where they are not the defaults:
 * "VanishingGradient,threshold=1e-6". docs/rationale/rules.md lists them.
 * `action` may be NULL. */
SMP_C_API smp_error *smp_rule_watch_add(smp_rule_watch *watch, const char *rule,
                                        smp_rule_action action, void *user);
/* All rules of which nothing needs to be said. */
SMP_C_API smp_error *smp_rule_watch_add_defaults(smp_rule_watch *watch,
                                                 smp_rule_action action,
                                                 void *user);
/* Says what rules cannot know of a tensor, as that it is in "losses". */
SMP_C_API smp_error *smp_rule_watch_add_to_collection(smp_rule_watch *watch,
                                                      const char *collection,
                                                      const char *tensor);
/* Evaluates from now on; nothing is added any more. */
SMP_C_API smp_error *smp_rule_watch_attach(smp_rule_watch *watch,
                                           smp_session *session);

/* What became of a rule. */
typedef struct smp_rule_report {
  const char *rule;
  uint64_t evaluated;       /* steps */
  uint64_t met;             /* of these */
  const smp_finding *first; /* NULL where `met` is 0 */
} smp_rule_report;
/* In the order of the rules: a list of pointers, with a NULL at the end, that
 * is valid until the next call of this function. `out_count` may be NULL. NULL
 * for no watch. */
SMP_C_API const smp_rule_report *const *
smp_rule_watch_report(smp_rule_watch *watch, size_t *out_count);

/*===-- Trials -----------------------------------------------------------===*/

/* The folder that a hook writes, or has written. */
typedef struct smp_trial smp_trial;
SMP_C_API smp_error *smp_trial_open(const char *folder, smp_trial **out_trial);
SMP_C_API void smp_trial_destroy(smp_trial *trial);
/* Reads what was written since. */
SMP_C_API smp_error *smp_trial_refresh(smp_trial *trial);
/* Whether the run has said that it writes nothing more. */
SMP_C_API int smp_trial_has_ended(const smp_trial *trial);
/* In the order in which they were saved; with `regex`, which may be NULL, those
 * in whose name it is found. Valid until the next call of this function. */
SMP_C_API smp_error *smp_trial_tensor_names(smp_trial *trial, const char *regex,
                                            const char *const **out_names,
                                            size_t *out_count);

/* Has no other field, ever: there are very many. */
typedef struct smp_series_point {
  uint64_t step;        /* of the mode */
  uint64_t global_step; /* of all */
  double value;
} smp_series_point;
/* A number of the tensor for each complete step of the mode that has it: a
 * reduction, "mean", "abs_max", "l2" and the like, as it was saved or of the
 * elements; NULL: the one element. Of "global": for each step of all. Valid
 * until the next call of this function. */
SMP_C_API smp_error *smp_trial_series(smp_trial *trial, const char *name,
                                      const char *reduction, const char *mode,
                                      const smp_series_point **out_points,
                                      size_t *out_count);

#ifdef __cplusplus
}
#endif

#endif /* SMP_DEBUGGER_H */
