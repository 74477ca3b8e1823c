/* SPDX-License-Identifier: Apache-2.0
 * The C API as a C99 program uses it: CApiTest P.smp FIXED.smp. P.smp is the
 * chain y = 2 (2 x + 1) + 1 over two partitions, with a variable "w" of no use;
 * FIXED.smp is the same in three microbatches, without the variable. */
#include "CApiChecks.h"
#include "smp/smp.h"

static float chain(float x) { return 2 * (2 * x + 1) + 1; }

static smp_tensor tensor(const char *name, const int64_t *shape, float *data) {
  smp_tensor made = SMP_TENSOR_INIT;
  made.name = name;
  made.dtype = SMP_F32;
  made.rank = 2;
  made.shape = shape;
  made.data = data;
  made.bytes = (size_t)(shape[0] * shape[1]) * sizeof(float);
  return made;
}

static void test_program(const smp_program *program) {
  const smp_signature *x = smp_program_input(program, 0, 0);
  CHECK(smp_program_entry_count(program) == 1);
  CHECK(strcmp(smp_program_entry_name(program, 0), "predict") == 0);
  CHECK(strcmp(smp_program_entry_mode(program, 0), "predict") == 0);
  CHECK(smp_program_entry_name(program, 1) == NULL);
  CHECK(smp_program_input_count(program, 0) == 1);
  CHECK(smp_program_input_count(program, 7) == 0);
  CHECK(smp_program_input(program, 0, 1) == NULL);
  CHECK(strcmp(x->name, "x") == 0 && x->dtype == SMP_F32 && x->rank == 2);
  CHECK(x->shape[0] == 2 && x->shape[1] == 8 && x->batch_axis == 0);
  CHECK(smp_program_output_count(program, 0) == 1);
  CHECK(strcmp(smp_program_output(program, 0, 0)->name, "y") == 0);
  CHECK(smp_program_variable_count(program) == 1);
  CHECK(strcmp(smp_program_variable(program, 0)->name, "w") == 0);
  CHECK(strcmp(smp_program_variable(program, 0)->kind, "parameter") == 0);
  CHECK(strcmp(x->kind, "") == 0);
  CHECK(smp_program_entry_microbatches(program, 0) == 0);
}

static void test_fixed_microbatches(const char *path) {
  smp_program *program = NULL;
  CHECK_OK(smp_program_open(path, &program));
  CHECK(smp_program_entry_microbatches(program, 0) == 3);
  CHECK(smp_program_entry_microbatches(program, 1) == 0);
  smp_program_destroy(program);
}

static void test_steps(smp_session *session) {
  const int64_t shape[2] = {6, 8};
  float values[48], mine[48];
  int i;
  const smp_tensor *y;
  smp_tensor x, bound, both[2];
  for (i = 0; i < 48; ++i)
    values[i] = (float)i;
  x = tensor("x", shape, values);
  CHECK_OK(smp_session_step(session, "predict", &x, 1, NULL, 0, 0));
  CHECK(smp_session_output_count(session) == 1);
  y = smp_session_find_output(session, "y");
  CHECK(y != NULL && y == smp_session_output(session, 0));
  CHECK(y->bytes == sizeof(values) && y->shape[0] == 6);
  CHECK(((const float *)y->data)[47] == chain(47));
  CHECK(smp_session_find_output(session, "z") == NULL);
  CHECK(smp_session_output(session, 1) == NULL);

  bound = tensor("y", shape, mine);
  CHECK_OK(smp_session_step(session, "predict", &x, 1, &bound, 1, 3));
  CHECK(mine[5] == chain(5));

  both[0] = x;
  both[1] = bound;
  CHECK_ERROR(smp_session_step(session, "predict", both, 2, NULL, 0, 0),
              SMP_INVALID_ARGUMENT, "'y'");
  CHECK_ERROR(smp_session_step(session, "eval", &x, 1, NULL, 0, 0),
              SMP_INVALID_ARGUMENT, "has no entry 'eval'");
  CHECK_ERROR(smp_session_step(session, NULL, &x, 1, NULL, 0, 0),
              SMP_INVALID_ARGUMENT, "entry is NULL");
  x.name = NULL;
  CHECK_ERROR(smp_session_step(session, "predict", &x, 1, NULL, 0, 0),
              SMP_INVALID_ARGUMENT, "inputs[0] has no name");
  x.name = "x";
  x.dtype = (smp_dtype)257; /* Not SMP_F32. */
  CHECK_ERROR(smp_session_step(session, "predict", &x, 1, NULL, 0, 0),
              SMP_INVALID_ARGUMENT, "input 'x': its element type is 257");
  CHECK_ERROR(smp_session_set_variable(session, &x), SMP_INVALID_ARGUMENT,
              "variable 'x': its element type is 257");
  x.dtype = SMP_F32;
  x.shape = NULL;
  CHECK_ERROR(smp_session_step(session, "predict", &x, 1, NULL, 0, 0),
              SMP_INVALID_ARGUMENT,
              "input 'x': its rank is 2, and its shape NULL");
  x.shape = shape;
  x.rank = SIZE_MAX;
  CHECK_ERROR(smp_session_step(session, "predict", &x, 1, NULL, 0, 0),
              SMP_INVALID_ARGUMENT,
              "input 'x': its rank is 18446744073709551615; it must be at most "
              "254");
  CHECK_ERROR(smp_session_set_variable(session, &x), SMP_INVALID_ARGUMENT,
              "variable 'x': its rank is 18446744073709551615; it must be");
  x.rank = 64; /* What follows the two sizes is not looked at. */
  CHECK_ERROR(smp_session_step(session, "predict", &x, 1, NULL, 0, 0),
              SMP_INVALID_ARGUMENT, "input 'x' is of 64 dimensions; it must");
  x.rank = 2;
  smp_session_request_stop(session);
  CHECK_ERROR(smp_session_step(session, "predict", &x, 1, NULL, 0, 0),
              SMP_CANCELLED, "no step is made until it is cleared");
  smp_session_clear_stop(session);
  CHECK_OK(smp_session_step(session, "predict", &x, 1, NULL, 0, 0));
}

static void test_combined(smp_session *session) {
  const int64_t shape[2] = {6, 8};
  float values[48];
  const smp_tensor *made = NULL;
  smp_tensor x = tensor("x", shape, values);
  int i;
  for (i = 0; i < 48; ++i)
    values[i] = (float)i;
  CHECK_OK(smp_session_step(session, "predict", &x, 1, NULL, 0, 0));
  CHECK_OK(smp_session_combine_output(session, "y", SMP_REDUCE_SUM, &made));
  CHECK(made->rank == 2 && made->shape[0] == 2 && made->bytes == 64);
  CHECK(strcmp(made->name, "y") == 0);
  CHECK(((float *)made->data)[1] == chain(1) + chain(17) + chain(33));
  CHECK_OK(smp_session_combine_output(session, "y", SMP_REDUCE_MEAN, &made));
  CHECK(((float *)made->data)[1] == chain(17));
  CHECK_OK(smp_session_combine_output(session, "y", SMP_STACK, &made));
  CHECK(made->rank == 3 && made->shape[0] == 3 && made->shape[1] == 2);
  CHECK_OK(smp_session_combine_output(session, "y", SMP_CONCAT, &made));
  CHECK(made->rank == 2 && made->shape[0] == 6);
  CHECK(((float *)made->data)[47] == chain(47));
  CHECK_ERROR(
      smp_session_combine_output(session, "y", (smp_combination)257, &made),
      SMP_INVALID_ARGUMENT, "combination is 257");
  CHECK_ERROR(smp_session_combine_output(session, "z", SMP_STACK, &made),
              SMP_INVALID_ARGUMENT, "no output 'z'");
  CHECK_ERROR(smp_session_combine_output(session, NULL, SMP_STACK, &made),
              SMP_INVALID_ARGUMENT, "name is NULL");
  CHECK_ERROR(smp_session_step(session, "eval", &x, 1, NULL, 0, 0),
              SMP_INVALID_ARGUMENT, "has no entry 'eval'");
  CHECK_ERROR(smp_session_combine_output(session, "y", SMP_STACK, &made),
              SMP_INVALID_ARGUMENT, "no output 'y'");
}

static void test_variables(smp_session *session) {
  const int64_t shape[2] = {2, 8}, flat[2] = {1, 16};
  float value[16], back[16] = {0};
  int i;
  smp_tensor w;
  for (i = 0; i < 16; ++i)
    value[i] = (float)i / 2;
  w = tensor("w", shape, value);
  CHECK_OK(smp_session_set_variable(session, &w));
  CHECK_OK(smp_session_get_variable(session, "w", back, sizeof(back)));
  CHECK(memcmp(value, back, sizeof(back)) == 0);
  w.shape = flat;
  CHECK_ERROR(smp_session_set_variable(session, &w), SMP_INVALID_ARGUMENT,
              "variable 'w' is a f32[2x8]");
  CHECK_ERROR(smp_session_get_variable(session, "v", back, sizeof(back)),
              SMP_INVALID_ARGUMENT, "no variable 'v'; its variables are: 'w'");
}

static void test_reports(smp_session *session) {
  size_t count = 0;
  const smp_device_memory *const *memory = smp_session_memory(session, &count);
  const smp_stage_time *const *stages;
  CHECK(count == 2 && memory[2] == NULL);
  CHECK(strcmp(memory[1]->device, "cpu:1") == 0 && memory[1]->partition == 1);
  CHECK(memory[0]->peak_bytes >= memory[0]->current_bytes);
  stages = smp_session_stage_times(session, &count);
  CHECK(count == 2 && stages[2] == NULL);
  CHECK(strcmp(stages[0]->entry, "predict") == 0);
  CHECK(strcmp(stages[0]->stage, "stage0") == 0 && stages[0]->runs > 0);
  CHECK(smp_session_stage_times(session, NULL)[1] != NULL);
  CHECK(smp_session_load_time(session)->load_seconds > 0);
}

/* The async step's result, set last. */
typedef struct async_state {
  smp_session *session;
  float first;
  smp_error *error;
  volatile int done;
} async_state;

static void when_done(void *user, smp_error *error) {
  async_state *state = user;
  const smp_tensor *y = smp_session_find_output(state->session, "y");
  state->error = error;
  state->first = y ? ((const float *)y->data)[0] : -1;
  __atomic_store_n(&state->done, 1, __ATOMIC_SEQ_CST);
}

static void test_async(smp_session *session) {
  const int64_t shape[2] = {2, 8};
  float values[16] = {3};
  async_state state = {0};
  smp_tensor x = tensor("x", shape, values);
  state.session = session;
  CHECK_OK(smp_session_step_async(session, "predict", &x, 1, NULL, 0, 0,
                                  when_done, &state));
  while (!__atomic_load_n(&state.done, __ATOMIC_SEQ_CST)) {
  }
  CHECK_OK(state.error);
  CHECK(state.first == chain(3));
}

static void destroy_when_done(void *user, smp_error *error) {
  async_state *state = user;
  smp_session_destroy(state->session);
  state->error = error;
  __atomic_store_n(&state->done, 1, __ATOMIC_SEQ_CST);
}

static void test_async_destroy(const smp_program *program) {
  const int64_t shape[2] = {2, 8};
  float values[16] = {3};
  async_state state = {0};
  smp_tensor x = tensor("x", shape, values);
  CHECK_OK(smp_session_create(program, NULL, &state.session));
  CHECK_OK(smp_session_step_async(state.session, "predict", &x, 1, NULL, 0, 0,
                                  destroy_when_done, &state));
  while (!__atomic_load_n(&state.done, __ATOMIC_SEQ_CST)) {
  }
  CHECK_OK(state.error);
}

static void test_dlpack(smp_session *session) {
  int64_t shape[2] = {2, 8}, strides[2] = {8, 1};
  float values[20] = {9, 9, 9, 9, 1};
  smp_dl_managed_tensor in = {0}, *out = NULL;
  smp_tensor x = SMP_TENSOR_INIT;
  in.dl_tensor.data = values;
  in.dl_tensor.byte_offset = 16;
  in.dl_tensor.device_type = 1;
  in.dl_tensor.ndim = 2;
  in.dl_tensor.type_code = 2;
  in.dl_tensor.type_bits = 32;
  in.dl_tensor.type_lanes = 1;
  in.dl_tensor.shape = shape;
  in.dl_tensor.strides = strides;
  CHECK_OK(smp_tensor_from_dlpack("x", &in, &x));
  CHECK(x.data == values + 4 && x.dtype == SMP_F32);
  CHECK_OK(smp_session_step(session, "predict", &x, 1, NULL, 0, 0));
  in.dl_tensor.ndim = INT32_MAX;
  CHECK_ERROR(smp_tensor_from_dlpack("x", &in, &x), SMP_INVALID_ARGUMENT,
              "tensor 'x' has 2147483647 dimensions; at most 254");
  in.dl_tensor.ndim = 2;
  CHECK_OK(smp_tensor_to_dlpack(smp_session_output(session, 0), &out));
  CHECK(out->dl_tensor.ndim == 2 && out->dl_tensor.shape[1] == 8);
  CHECK(out->dl_tensor.type_code == 2 && out->dl_tensor.type_bits == 32);
  CHECK(((const float *)out->dl_tensor.data)[0] == chain(1));
  CHECK(out->dl_tensor.strides[0] == 8 && out->dl_tensor.strides[1] == 1);
  out->deleter(out);

  shape[0] = 0; /* Without elements strides say nothing. */
  strides[0] = strides[1] = 0;
  CHECK_OK(smp_tensor_from_dlpack("x", &in, &x));
  CHECK(x.rank == 2 && x.shape[0] == 0);
  shape[0] = 2;
  strides[0] = 8;

  strides[1] = 2;
  CHECK_ERROR(smp_tensor_from_dlpack("x", &in, &x), SMP_INVALID_ARGUMENT,
              "not row-major");
  in.dl_tensor.strides = NULL;
  in.dl_tensor.device_type = 2;
  CHECK_ERROR(smp_tensor_from_dlpack("x", &in, &x), SMP_INVALID_ARGUMENT,
              "device of DLPack type 2");
  in.dl_tensor.device_type = 1;
  in.dl_tensor.type_code = 5;
  CHECK_ERROR(smp_tensor_from_dlpack("x", &in, &x), SMP_INVALID_ARGUMENT,
              "DLPack code 5");
}

static void count_log(void *user, int is_warning, const char *message,
                      size_t size) {
  (void)is_warning;
  (void)message;
  *(size_t *)user += size;
}
static void count_spans(void *user, const smp_span *const *spans,
                        size_t count) {
  size_t i;
  for (i = 0; i < count; ++i)
    if (spans[i]->begin > spans[i]->end)
      return;
  *(size_t *)user += count;
}
static void *count_allocate(void *user, size_t bytes, size_t align) {
  ++*(size_t *)user;
  (void)align;
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void count_release(void *user, void *data, size_t bytes) {
  --*(size_t *)user;
  (void)bytes;
  free(data);
}

static void test_callbacks(const smp_program *program) {
  const int64_t shape[2] = {2, 8};
  float values[16] = {1};
  size_t logged = 0, spans = 0, allocations = 0;
  smp_session *session = NULL;
  smp_tensor x = tensor("x", shape, values);
  smp_options *options = smp_options_create();
  smp_options_set_devices(options, "cpu:0,cpu:1");
  smp_options_set_level(options, "v2");
  smp_options_set_deadline(options, 10);
  smp_options_set_memory_limit(options, 1 << 20);
  smp_options_set_log(options, count_log, &logged);
  smp_options_set_profile(options, count_spans, &spans);
  smp_options_set_allocator(options, count_allocate, count_release,
                            &allocations);
  CHECK_OK(smp_session_create(program, options, &session));
  smp_options_destroy(options);
  CHECK(logged > 0 && allocations > 0);
  CHECK_OK(smp_session_step(session, "predict", &x, 1, NULL, 0, 0));
  CHECK(spans == 4); /* Two stages with a kernel each. */
  smp_session_destroy(session);
  CHECK(allocations == 0);
}

static void test_check_numerics(const smp_program *program) {
  smp_session *session = NULL;
  smp_options *options = smp_options_create();
  smp_options_set_check_numerics(options, SMP_NUMERICS_NAN);
  CHECK_ERROR(smp_session_create(program, options, &session),
              SMP_FAILED_PRECONDITION, "does not say what it writes");
  smp_options_set_check_numerics(options, (smp_numerics)256);
  CHECK_ERROR(smp_session_create(program, options, &session),
              SMP_INVALID_ARGUMENT, "checkNumerics is 256");
  smp_options_set_check_numerics(options, SMP_NUMERICS_OFF);
  CHECK_OK(smp_session_create(program, options, &session));
  smp_session_destroy(session);
  smp_options_destroy(options);
}

static void test_ranks(const smp_program *program) {
  /* One rank of one: the smallest that has all parts. */
  const int64_t shape[2] = {2, 8};
  float values[16] = {1};
  smp_session *session = NULL;
  smp_communicator *communicator = NULL;
  smp_socket_options *sockets = NULL;
  smp_options *options = smp_options_create();
  smp_tensor x = tensor("x", shape, values);
  CHECK_ERROR(smp_communicators_create_in_process(0, &communicator),
              SMP_INVALID_ARGUMENT, "size is 0");
  CHECK_ERROR(
      smp_communicator_create_sockets(2, 2, "unix:/x", "", 1, &communicator),
      SMP_INVALID_ARGUMENT, "rank 2 of 2");
  CHECK_ERROR(
      smp_communicator_create_sockets(1, 2, "unix:/x", "", -1, &communicator),
      SMP_INVALID_ARGUMENT, "deadlineSeconds is -1");
  sockets = smp_socket_options_create(0, 2, "tcp:0.0.0.0:5000");
  smp_socket_options_set_deadline(sockets, -1);
  CHECK_ERROR(smp_communicator_open(sockets, &communicator),
              SMP_INVALID_ARGUMENT, "deadlineSeconds is -1");
  smp_socket_options_set_deadline(sockets, 1);
  smp_socket_options_set_job(sockets, "job");
  smp_socket_options_set_log(sockets, NULL, NULL);
  smp_socket_options_set_program(sockets, smp_program_fingerprint(program),
                                 "chain.smp");
  CHECK(smp_program_fingerprint(program) != 0);
  CHECK_ERROR(smp_communicator_open(sockets, &communicator),
              SMP_FAILED_PRECONDITION, "without a secret");
  smp_socket_options_set_secret(sockets, "short", 5);
  CHECK_ERROR(smp_communicator_open(sockets, &communicator),
              SMP_INVALID_ARGUMENT, "the secret of the ranks has 5 bytes");
  CHECK_ERROR(smp_communicator_open(NULL, &communicator), SMP_INVALID_ARGUMENT,
              "options is NULL");
  smp_socket_options_destroy(sockets);
  /* What may listen, and nobody comes. */
  sockets = smp_socket_options_create(1, 2, "tcp:127.0.0.1:1");
  smp_socket_options_set_deadline(sockets, 0.05);
  smp_socket_options_allow_no_secret(sockets);
  CHECK_ERROR(smp_communicator_open(sockets, &communicator),
              SMP_DEADLINE_EXCEEDED, "is rank 0 running?");
  smp_socket_options_destroy(sockets);
  sockets = smp_socket_options_create(0, 1, NULL);
  CHECK_OK(smp_communicator_open(sockets, &communicator));
  smp_communicator_destroy(communicator);
  smp_socket_options_destroy(sockets);
  smp_socket_options_destroy(NULL);
  CHECK_OK(smp_communicators_create_in_process(1, &communicator));
  smp_options_set_communicator(options, communicator);
  smp_options_want_output(options, "y");
  CHECK_OK(smp_session_create(program, options, &session));
  CHECK_OK(smp_session_step(session, "predict", &x, 1, NULL, 0, 0));
  CHECK(((const float *)smp_session_output(session, 0)->data)[0] == chain(1));
  smp_session_destroy(session);
  smp_communicator_destroy(communicator);
  smp_options_destroy(options);
}

static void test_memory(const char *path) {
  /* The same program from memory. */
  smp_program *program = NULL;
  FILE *file = fopen(path, "rb");
  void *bytes = aligned_alloc(64, 1 << 20);
  size_t size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
  if (file)
    fclose(file);
  CHECK_OK(smp_program_create(bytes, size, NULL, 0, &program));
  smp_program_destroy(program);
  program = NULL;
  CHECK(size > 100);
  ((char *)bytes)[size / 2] ^= 1;
  CHECK_ERROR(smp_program_create(bytes, size, NULL, 0, &program), SMP_DATA_LOSS,
              "");
  CHECK(program == NULL);
  free(bytes);
}

/* The header's numbers are those of the build. */
static void test_version(void) {
  char text[64];
  snprintf(text, sizeof(text), "%d.%d.%d", SMP_VERSION_MAJOR, SMP_VERSION_MINOR,
           SMP_VERSION_PATCH);
  CHECK(strcmp(smp_version_string(), text) == 0);
  CHECK(smp_version() == 1000000 * SMP_VERSION_MAJOR +
                             1000 * SMP_VERSION_MINOR + SMP_VERSION_PATCH);
}

int main(int argc, char **argv) {
  smp_program *program = NULL;
  smp_session *session = NULL;
  if (argc != 3)
    return 2;
  test_version();
  CHECK_ERROR(smp_program_open("nowhere.smp", &program), SMP_UNAVAILABLE,
              "nowhere.smp");
  CHECK_ERROR(smp_program_open(NULL, &program), SMP_INVALID_ARGUMENT, "path");
  CHECK_OK(smp_program_open(argv[1], &program));
  if (!program)
    return 1;
  test_program(program);
  test_fixed_microbatches(argv[2]);
  test_callbacks(program);
  test_check_numerics(program);
  test_ranks(program);
  test_async_destroy(program);
  CHECK_OK(smp_session_create(program, NULL, &session));
  smp_program_destroy(program); /* The session keeps what it needs. */
  if (session) {
    test_steps(session);
    test_combined(session);
    test_variables(session);
    test_reports(session);
    test_async(session);
    test_dlpack(session);
  }
  smp_session_destroy(session);
  smp_session_destroy(NULL);
  smp_program_destroy(NULL);
  smp_error_destroy(NULL);
  test_memory(argv[1]);
  return failures ? 1 : 0;
}
