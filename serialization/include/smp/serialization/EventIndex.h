// SPDX-License-Identifier: Apache-2.0
// An index file: which tensors one worker saved in one step, and where.

#ifndef SMP_SERIALIZATION_EVENTINDEX_H
#define SMP_SERIALIZATION_EVENTINDEX_H

#include "smp/base/Status.h"
#include "smp/model/Mode.h"
#include "smp/model/Shape.h"
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace smp {

/// What one index file says. Its step and worker are in its name.
struct EventIndex {
  /// Where the record of a tensor is in the events file, header and footer
  /// included.
  struct Record {
    std::string name;
    uint64_t start = 0, bytes = 0;
  };
  /// Of a tensor of which only the shape was saved.
  struct SavedShape {
    std::string name, originalName;
    Shape shape;
  };
  struct Tensors {
    std::vector<Record> records; ///< In the order in which they were saved.
    std::vector<SavedShape> shapes;
  };

  Mode mode = Mode::Global;
  uint64_t modeStep = 0;
  std::string eventsFile; ///< Relative to the trial; empty without records.
  std::shared_ptr<const Tensors> tensors; ///< Not null; shared by equal steps.
};

/// Reads index files, one after the other. Those of successive steps mostly
/// have the same tensors at the same places: such a list is read once, and kept
/// once. Of one thread.
class EventIndexReader {
public:
  /// Fails with DataLoss; the message has all that is wrong, and where.
  StatusOr<EventIndex> read(std::string_view text);

private:
  static StatusOr<EventIndex> readHead(std::string_view head);

  /// The last texts from "tensor_payload" on, each the end of a good file.
  struct Tail {
    std::string text;
    std::shared_ptr<const EventIndex::Tensors> tensors;
  };
  std::vector<Tail> tails;
};

} // namespace smp

#endif // SMP_SERIALIZATION_EVENTINDEX_H
