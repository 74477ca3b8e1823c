/* SPDX-License-Identifier: Apache-2.0
 * Structs of applications that were compiled with the header of another
 * release: StructSizesTest P.smp, the chain of CApiTest. */
#include "CApiChecks.h"

/* As a later release may have it. */
typedef struct later_tensor {
  smp_tensor known;
  uint64_t added;
} later_tensor;

static const int64_t shape[2] = {2, 8};
static float values[16] = {3};

static void set(smp_tensor *tensor) {
  tensor->name = "x";
  tensor->dtype = SMP_F32;
  tensor->rank = 2;
  tensor->shape = shape;
  tensor->data = values;
}

static smp_error *step(smp_session *session, const smp_tensor *inputs,
                       size_t count) {
  return smp_session_step(session, "predict", inputs, count, NULL, 0, 0);
}

/* Its own fields are zero, or the step would not do what they ask for. */
static void test_later_application(smp_session *session) {
  later_tensor x[2] = {{SMP_TENSOR_INIT, 0}, {SMP_TENSOR_INIT, 0}};
  x[0].known.size = x[1].known.size = sizeof(later_tensor);
  set(&x[0].known);
  set(&x[1].known);
  x[1].known.name = "z";
  CHECK_OK(step(session, &x[0].known, 1));
  CHECK_ERROR(step(session, &x[0].known, 2), SMP_INVALID_ARGUMENT, "'z'");
  x[0].added = 1;
  CHECK_ERROR(step(session, &x[0].known, 1), SMP_INVALID_ARGUMENT,
              "inputs[0]: smp_tensor has a field set that smp 0.1.0 does not "
              "know");
}

static void test_wrong_sizes(smp_session *session) {
  smp_tensor x[2] = {SMP_TENSOR_INIT, SMP_TENSOR_INIT}, out = {0};
  smp_dl_managed_tensor view = {0}, *made = NULL;
  set(&x[0]);
  set(&x[1]);
  x[1].size = 0;
  CHECK_ERROR(step(session, x, 2), SMP_INVALID_ARGUMENT,
              "inputs[1]: smp_tensor's size is 0, and that of the first");
  x[0].size = 0;
  CHECK_ERROR(step(session, x, 1), SMP_INVALID_ARGUMENT,
              "inputs[0]: smp_tensor's size is 0; it must be "
              "sizeof(smp_tensor), as SMP_TENSOR_INIT sets it");
  CHECK_ERROR(smp_session_set_variable(session, x), SMP_INVALID_ARGUMENT,
              "value: smp_tensor's size is 0");
  CHECK_ERROR(smp_tensor_to_dlpack(x, &made), SMP_INVALID_ARGUMENT,
              "smp_tensor's size is 0");
  x[0].size = sizeof(smp_tensor) + 4;
  CHECK_ERROR(step(session, x, 1), SMP_INVALID_ARGUMENT, "smp_tensor's size");
  view.dl_tensor.device_type = 1;
  view.dl_tensor.type_code = 2;
  view.dl_tensor.type_bits = 32;
  view.dl_tensor.type_lanes = 1;
  CHECK_ERROR(smp_tensor_from_dlpack("x", &view, &out), SMP_INVALID_ARGUMENT,
              "smp_tensor's size is 0");
}

int main(int argc, char **argv) {
  smp_program *program = NULL;
  smp_session *session = NULL;
  if (argc != 2)
    return 2;
  CHECK_OK(smp_program_open(argv[1], &program));
  CHECK_OK(smp_session_create(program, NULL, &session));
  if (session) {
    test_later_application(session);
    test_wrong_sizes(session);
  }
  smp_session_destroy(session);
  smp_program_destroy(program);
  return failures ? 1 : 0;
}
