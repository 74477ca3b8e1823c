// SPDX-License-Identifier: Apache-2.0
// What users of one process have in common.

#ifndef SMP_BASE_PROCESSWIDE_H
#define SMP_BASE_PROCESSWIDE_H

#include "smp/base/ProcessMark.h"
#include "smp/base/Status.h"
#include <map>
#include <memory>
#include <mutex>

namespace smp {

/// The lock of all ProcessWide objects. A process that is forked off finds it
/// free.
std::mutex &processWideLock();

/// Objects by key, each made for the first who asks, alive as long as somebody
/// has it. A process that is forked off starts with none: their threads are not
/// there. Any thread may call; objects of this class are never destroyed.
template <typename Key, typename Object>
class ProcessWide {
public:
  /// `make` returns StatusOr<std::shared_ptr<Object>>, and asks for nothing
  /// process-wide itself. A failure is not kept.
  template <typename Maker>
  StatusOr<std::shared_ptr<Object>> get(const Key &key, const Maker &make) {
    std::lock_guard<std::mutex> hold(processWideLock());
    if (!mark.isHere())
      objects.clear();
    mark = ProcessMark();
    std::weak_ptr<Object> &place = objects[key];
    if (std::shared_ptr<Object> object = place.lock())
      return object;
    SMP_ASSIGN_OR_RETURN(std::shared_ptr<Object> made, make());
    place = made;
    return made;
  }

private:
  ProcessMark mark;
  std::map<Key, std::weak_ptr<Object>> objects;
};

} // namespace smp

#endif // SMP_BASE_PROCESSWIDE_H
