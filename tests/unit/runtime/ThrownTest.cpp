// SPDX-License-Identifier: Apache-2.0
// What callbacks of C++ throw through the C API ends at the Session, and what
// it passes on its way is destroyed, which the leak check of the sanitized
// build sees.
#include "TestPrograms.h"
#include "smp/smp.h"
#include <future>
#include <stdexcept>

using namespace smp;
using namespace smp::test;

namespace {

class Thrown : public testing::Test {
protected:
  Thrown() : maker(makeChain(1)) {
    if (!maker->finish().ok())
      ADD_FAILURE() << "no program";
    const std::span<const std::byte> file = maker->file();
    expectOk(
        smp_program_create(file.data(), file.size(), nullptr, 0, &program));
    options = smp_options_create();
    smp_options_set_log(options, note, this);
  }
  ~Thrown() override {
    smp_session_destroy(session);
    smp_options_destroy(options);
    smp_program_destroy(program);
  }

  static void expectOk(smp_error *error) {
    EXPECT_EQ(error, nullptr) << smp_error_message(error);
    smp_error_destroy(error);
  }
  static void note(void *user, int isWarning, const char *text, size_t size) {
    if (isWarning)
      static_cast<Thrown *>(user)->warnings.emplace_back(text, size);
  }
  void open() { expectOk(smp_session_create(program, options, &session)); }
  smp_tensor tensor() {
    smp_tensor made = SMP_TENSOR_INIT;
    made.name = "x";
    made.dtype = SMP_F32;
    made.rank = 2;
    made.shape = shape;
    made.data = values.values.data();
    return made;
  }

  const int64_t shape[2] = {2, 8};
  TestTensor values{{2, 8}};
  std::vector<std::string> warnings;
  std::unique_ptr<ProgramMaker> maker;
  smp_program *program = nullptr;
  smp_options *options = nullptr;
  smp_session *session = nullptr;
};

TEST_F(Thrown, ByProfile) {
  smp_options_set_profile(
      options,
      [](void *, const smp_span *const *, size_t) {
        throw std::runtime_error("no room");
      },
      nullptr);
  open();
  const smp_tensor x = tensor();
  for (int step = 0; step < 2; ++step)
    expectOk(smp_session_step(session, "predict", &x, 1, nullptr, 0, 0));
  EXPECT_EQ(warnings,
            std::vector<std::string>(
                2, "the profile callback threw: no room; the Session goes on"));
}

TEST_F(Thrown, ByDoneAfterAnError) {
  open();
  const smp_tensor x = tensor();
  std::promise<std::string> told;
  expectOk(smp_session_step_async(
      session, "absent", &x, 1, nullptr, 0, 0,
      [](void *user, smp_error *error) {
        const std::string message = smp_error_message(error);
        smp_error_destroy(error);
        static_cast<std::promise<std::string> *>(user)->set_value(message);
        throw std::runtime_error("too late");
      },
      &told));
  EXPECT_EQ(told.get_future().get(),
            "the program has no entry 'absent'; it has 'predict'");
  smp_session_destroy(std::exchange(session, nullptr)); // Waits for the log.
  EXPECT_EQ(warnings, std::vector<std::string>{
                          "the callback of an asynchronous step threw: too "
                          "late; the Session goes on"});
}

} // namespace
