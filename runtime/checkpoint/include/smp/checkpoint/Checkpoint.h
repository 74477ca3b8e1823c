// SPDX-License-Identifier: Apache-2.0
// What a checkpoint holds. Since 0.1.
//
//   int64_t epoch = 0;
//   smp::Checkpoint checkpoint{
//       {"model", session}, {"optimizer", session}, {"epoch", epoch}};
//
// A root may be a list, {"best", {first, second}}, whose keys are "best/0" and
// "best/1", or a map, {"data", {{"seed", seed}, {"line", line}}}, whose keys
// are "data/line" and "data/seed".

#ifndef SMP_CHECKPOINT_CHECKPOINT_H
#define SMP_CHECKPOINT_CHECKPOINT_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include "smp/checkpoint/RestoreReport.h"
#include "smp/exec/SessionTypes.h"
#include "smp/model/ShardedValue.h"
#include <concepts>
#include <initializer_list>
#include <optional>

namespace smp {

class SessionCore;
class ShardingCallback;

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
  /// False: a checkpoint lists the name, and nothing is saved or restored.
  /// Always the same of one object.
  virtual bool hasData() const { return true; }
};

/// How a Checkpoint is saved without a manager.
struct CheckpointOptions {
  /// See CheckpointManagerOptions::sharding.
  std::shared_ptr<const ShardingCallback> shardingCallback = {};
  /// See CheckpointManagerOptions::ioDevice.
  std::string ioDevice = {};
};

/// Names what is saved and restored. Sessions and values are borrowed: they
/// outlive the Checkpoint and the managers that use it. What it has, lists and
/// maps too, is fixed when it is made, and ordered by name. Copies count saves
/// together.
class SMP_API Checkpoint {
public:
  /// The name of a value that every checkpoint has: how many saves were begun,
  /// this one too, an int64_t. It is restored where it was saved.
  static constexpr const char *kSaveCounter = "save_counter";

  /// One thing that is kept.
  class SMP_API Root {
  public:
    /// "model", "epoch", "best/0": what is behind '/' is its place in a list or
    /// its name in a map.
    const std::string &name() const { return rootName; }
    /// Where the same value was given again. It is saved once, under the first
    /// of its names, and restored once.
    const std::vector<std::string> &otherNames() const { return others; }
    /// One of these is not null.
    SessionCore *session() const { return core; }
    Saveable *value() const { return saveable.get(); }
    ShardedValue *sharded() const { return parts; }
    /// As Saveable::hasData() was when the Checkpoint was made.
    bool hasData() const { return hadData; }

  private:
    friend class Checkpoint;
    std::string rootName;
    std::vector<std::string> others;
    SessionCore *core = nullptr;
    std::shared_ptr<Saveable> saveable; // Shared by copies of the root.
    ShardedValue *parts = nullptr;
    int64_t *number = nullptr;    // Where the value is one.
    const void *object = nullptr; // Whatever it is.
    bool hadData = true;
  };
  class Named;

  /// What is kept under a name.
  class SMP_API Object {
  public:
    /// The variables of one kind, which the name says: "model" has the
    /// parameters, "optimizer", "state" and "random" what is called so. The key
    /// of a variable is "model/<variable>", or the variable's name where that
    /// begins with the root's already.
    Object(SessionCore &session);
    template <typename T>
      requires(std::convertible_to<T &, SessionCore &>)
    Object(T &session) : Object(static_cast<SessionCore &>(session)) {}
    /// A value of the application's. Its key is the name.
    Object(int64_t &value);
    Object(double &value);
    /// Text or any bytes.
    Object(std::string &value);
    Object(Saveable &value);
    /// A tensor in parts on devices. Each slice is written once, by the rank
    /// that has the device which the layout says (sliceWriters()); restoring
    /// fills the parts, whatever the layout, mesh and ranks that saved it. Type
    /// and layout are those it has at that time.
    Object(ShardedValue &value);
    /// A list.
    Object(std::initializer_list<Object> list);
    explicit Object(const std::vector<Object> &list);
    /// A map.
    Object(std::initializer_list<Named> map);
    explicit Object(std::vector<Named> map);

  private:
    friend class Checkpoint;
    void add(const std::string &name, const Object &object);
    std::vector<Root> roots;              // Named from here on.
    std::optional<std::string> wrongName; // Of a map in it.
  };

  /// An object and its name, of letters, digits, '_', '-' and '.'.
  class SMP_API Named {
  public:
    Named(std::string as, Object what)
        : name(std::move(as)), object(std::move(what)) {}

  private:
    friend class Checkpoint;
    std::string name;
    Object object;
  };

  Checkpoint(std::initializer_list<Named> roots);
  explicit Checkpoint(std::vector<Named> roots);
  /// All of a Session, model, optimizer, state and random, and what more there
  /// is. A name that the Session has may be given again, for the same Session.
  /// Where there is a mesh, sharded values are on it.
  explicit Checkpoint(SessionCore &root, std::vector<Named> more = {},
                      const Mesh &mesh = {});

  const std::vector<Root> &roots() const { return list; }
  /// That names are sound and given once, and that a Session's root has a name
  /// of the four.
  Status check() const { return problem; }

  /// How many saves were begun, since the first of the training.
  int64_t saveCounter() const { return *counter; }

  /// Writes the next checkpoint of a name, "run/ckpt-1" for the prefix
  /// "run/ckpt", as a CheckpointManager of that name does that deletes nothing;
  /// with its promises. Gives its path. A manager saves without taking memory
  /// each time, and beside training.
  StatusOr<std::string> save(const std::string &prefix,
                             const CheckpointOptions &options = {}) const;
  /// Sets everything to one checkpoint, by its path: as
  /// CheckpointManager::restore(). An empty path: nothing is restored, and the
  /// report says so.
  StatusOr<RestoreReport> restore(const std::string &path,
                                  const RestoreOptions &options = {}) const;

private:
  friend class SavedState;
  void countSave() const { ++*counter; }
  void add(std::vector<Named> roots);
  void addCounter();
  void refuse(std::string why);
  void checkRoots();
  void checkMesh(const Mesh &mesh);

  std::vector<Root> list;
  std::shared_ptr<int64_t> counter; // Shared by copies.
  Status problem;
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINT_H
