// SPDX-License-Identifier: Apache-2.0
// What the Sessions of one program have in common.

#ifndef SMP_EXEC_SHAREDPARTS_H
#define SMP_EXEC_SHAREDPARTS_H

#include "smp/device/Device.h"
#include <functional>
#include <map>
#include <mutex>

namespace smp {

/// Kernel images and prepared values, made once for all devices of a kind that
/// share them (Device::sharesParts) by the first who asks; who asks meanwhile
/// waits. They live as long as somebody uses them. Any thread may call.
class SharedParts {
public:
  /// The outputs of a prepare stage, each in memory of its own.
  using Values = std::vector<std::shared_ptr<std::byte>>;
  template <typename Part>
  using Maker = std::function<StatusOr<std::shared_ptr<Part>>()>;

  /// An image of the program, by its number. A failure is not kept.
  StatusOr<std::shared_ptr<Image>>
  image(const std::string &kind, uint32_t number, const Maker<Image> &make) {
    return images.get({kind, number}, make);
  }
  /// What a stage prepares from first values of variables, by its number.
  StatusOr<std::shared_ptr<const Values>>
  prepared(const std::string &kind, uint32_t stage,
           const Maker<const Values> &make) {
    return values.get({kind, stage}, make);
  }

private:
  using Key = std::pair<std::string, uint32_t>; // Kind of device, number.

  template <typename Part>
  class Parts {
  public:
    StatusOr<std::shared_ptr<Part>> get(const Key &key,
                                        const Maker<Part> &make) {
      Place &place = placeOf(key);
      std::lock_guard<std::mutex> hold(place.lock);
      if (std::shared_ptr<Part> made = place.made.lock())
        return made;
      SMP_ASSIGN_OR_RETURN(std::shared_ptr<Part> made, make());
      place.made = made;
      return made;
    }

  private:
    struct Place {
      std::mutex lock; // Held while the part is made.
      std::weak_ptr<Part> made;
    };
    Place &placeOf(const Key &key) {
      std::lock_guard<std::mutex> hold(lock);
      return places[key];
    }

    std::mutex lock; // Of the map; places stay where they are.
    std::map<Key, Place> places;
  };

  Parts<Image> images;
  Parts<const Values> values;
};

} // namespace smp

#endif // SMP_EXEC_SHAREDPARTS_H
