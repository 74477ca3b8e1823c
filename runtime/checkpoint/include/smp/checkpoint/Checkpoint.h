// SPDX-License-Identifier: Apache-2.0
// What a checkpoint holds. Since 0.1.
//
//   int64_t epoch = 0;
//   smp::Checkpoint checkpoint{
//       {"model", session}, {"optimizer", session}, {"epoch", epoch}};

#ifndef SMP_CHECKPOINT_CHECKPOINT_H
#define SMP_CHECKPOINT_CHECKPOINT_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include "smp/exec/SessionTypes.h"
#include <initializer_list>

namespace smp {

class SessionCore;

/// A value as a checkpoint keeps it: a tensor.
struct SavedValue {
  DType dtype = DType::U8;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes; ///< Row-major; as many as dtype and shape say.
};

/// Data of the application that goes into checkpoints: where it is in its data,
/// the state of its own generators. It has no function outside of this header,
/// so that an application may derive from it whatever its flags are.
class SMP_API Saveable {
public:
  virtual ~Saveable() = default;
  virtual StatusOr<SavedValue> save() const = 0;
  /// Whether restore() takes the value. Asked before anything is changed.
  virtual Status check(const TensorView &value) const = 0;
  /// Takes a value that was checked; cannot fail.
  virtual void restore(const TensorView &value) = 0;
};

/// Names what is saved and restored. Sessions and values are borrowed: they
/// outlive the Checkpoint and the managers that use it.
class SMP_API Checkpoint {
public:
  /// A name, and whose values are kept below it.
  class SMP_API Root {
  public:
    /// The variables of one kind, which the name says: "model" has the
    /// parameters, "optimizer", "state" and "random" what is called so. The key
    /// of a variable is "model/<variable>", or the variable's name where that
    /// begins with the root's already.
    Root(std::string name, SessionCore &session);
    /// A value of the application's. Its key is the name.
    Root(std::string name, int64_t &value);
    Root(std::string name, double &value);
    /// Text or any bytes.
    Root(std::string name, std::string &value);
    Root(std::string name, Saveable &value);

    const std::string &name() const { return rootName; }
    /// Null for a value.
    SessionCore *session() const { return core; }
    /// Null for a Session.
    Saveable *value() const { return saveable.get(); }

  private:
    std::string rootName;
    SessionCore *core = nullptr;
    std::shared_ptr<Saveable> saveable; // Shared by copies of the root.
  };

  Checkpoint(std::initializer_list<Root> roots) : list(roots) {}
  explicit Checkpoint(std::vector<Root> roots) : list(std::move(roots)) {}
  /// All of a Session: model, optimizer, state and random.
  explicit Checkpoint(SessionCore &session);

  const std::vector<Root> &roots() const { return list; }
  /// That names are of letters, digits, '_', '-' and '.', each given once, and
  /// that a Session's root has a name of the four.
  Status check() const;

private:
  std::vector<Root> list;
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINT_H
