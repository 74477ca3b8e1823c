/* SPDX-License-Identifier: Apache-2.0
 * usage: application [PROGRAM]: makes hooks and rules, and has them watch the
 * program, by the C API of what is installed. */
#include "smp/debugger.h"
#include <stdio.h>
#include <string.h>

/* Takes the error over, and says whether there is none. */
static int is_ok(smp_error *error) {
  const int good = !error;
  if (error)
    fprintf(stderr, "consumer: %s\n", smp_error_message(error));
  smp_error_destroy(error);
  return good;
}

/* The same of an error that there must be. */
static int names(smp_error *error, const char *part) {
  const int good = error && strstr(smp_error_message(error), part);
  if (!good)
    fprintf(stderr, "consumer: no error names %s\n", part);
  smp_error_destroy(error);
  return good;
}

static int watch(smp_session *session, const char *output) {
  smp_hook *hook = NULL;
  smp_hook_config *config = smp_hook_config_create();
  smp_rule_watch *rules = smp_rule_watch_create(NULL, NULL);
  size_t count = 0;
  int good;
  smp_hook_config_save_all(config);
  good = is_ok(smp_hook_create(config, NULL, &hook)) &&
         is_ok(smp_hook_register_loss(hook, output)) &&
         is_ok(smp_hook_attach(hook, session)) &&
         names(smp_hook_register_loss(hook, "nothing"), "'nothing'") &&
         is_ok(smp_hook_close(hook)) && smp_hook_counts(hook)->written == 0 &&
         is_ok(smp_rule_watch_add_defaults(rules, smp_stop_run, NULL)) &&
         is_ok(smp_rule_watch_attach(rules, session)) &&
         smp_rule_watch_report(rules, &count)[0]->met == 0 && count > 1;
  smp_rule_watch_destroy(rules);
  smp_hook_destroy(hook);
  smp_hook_config_destroy(config);
  return good;
}

static int watch_program(const char *path) {
  smp_program *program = NULL;
  smp_session *session = NULL;
  const int good = is_ok(smp_program_open(path, &program)) &&
                   is_ok(smp_session_create(program, NULL, &session)) &&
                   watch(session, smp_program_output(program, 0, 0)->name);
  smp_session_destroy(session);
  smp_program_destroy(program);
  return good;
}

/* Errors that libsmp gives, in libsmp-debugger. */
static int refuse(void) {
  smp_trial *trial = NULL;
  smp_hook *hook = NULL;
  smp_hook_config *config = smp_hook_config_create();
  int good = is_ok(smp_hook_create(config, NULL, &hook)) &&
             names(smp_hook_attach(hook, NULL), "session is NULL") &&
             is_ok(smp_hook_close(hook));
  smp_hook_destroy(hook);
  smp_hook_config_add_reduction(config, NULL, "average");
  good = good && names(smp_hook_create(config, NULL, &hook), "'average'") &&
         names(smp_trial_open("nowhere", &trial), "'nowhere'");
  smp_hook_config_destroy(config);
  return good;
}

int main(int argc, char **argv) {
  if (!refuse() || (argc > 1 && !watch_program(argv[1])))
    return 1;
  printf("consumer: smp's debugger works in C\n");
  return 0;
}
