// SPDX-License-Identifier: Apache-2.0
// The session that hooks' tests watch, by the C API.

#ifndef SMP_TESTS_UNIT_DEBUGGER_WATCHEDHANDLES_H
#define SMP_TESTS_UNIT_DEBUGGER_WATCHEDHANDLES_H

#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include "smp/debugger.h"

namespace smp::test {

/// "ok", or the code and the text of an error, which it takes over.
inline std::string textOf(smp_error *error) {
  if (!error)
    return "ok";
  const std::string text =
      std::string(toString(StatusCode(smp_error_code(error)))) + ": " +
      smp_error_message(error);
  smp_error_destroy(error);
  return text;
}

/// `watched` in C++, and another session of its program in C.
class WatchedHandles : public testing::Test {
protected:
  WatchedHandles() {
    const std::span<const std::byte> file = watched.maker->file();
    EXPECT_EQ(textOf(smp_program_create(file.data(), file.size(), nullptr, 0,
                                        &program)),
              "ok");
    smp_options *options = smp_options_create();
    smp_options_set_log(options, note, &warnings);
    EXPECT_EQ(textOf(smp_session_create(program, options, &session)), "ok");
    smp_options_destroy(options);
  }
  ~WatchedHandles() override {
    smp_session_destroy(session);
    smp_program_destroy(program);
  }

  static void note(void *lines, int isWarning, const char *text, size_t size) {
    if (isWarning)
      static_cast<std::vector<std::string> *>(lines)->emplace_back(text, size);
  }

  /// With x all `value`, so that outputs are all 2 value + 1.
  std::string step(const char *entry, float value) {
    std::vector<float> values(16, value);
    const int64_t shape[] = {2, 8};
    const smp_tensor x = {sizeof(smp_tensor), "x", SMP_F32, 2, shape,
                          values.data(),      64};
    return textOf(smp_session_step(session, entry, &x, 1, nullptr, 0, 0));
  }

  Watched watched;
  TemporaryFolder folder;
  std::vector<std::string> warnings;
  smp_program *program = nullptr;
  smp_session *session = nullptr;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_DEBUGGER_WATCHEDHANDLES_H
