// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/ProfileProgram.h"
#include "CostProfile.h"
#include "LinkProbe.h"
#include "smp/base/Lists.h"
#include "smp/base/Thread.h"
#include "smp/drivers/RegisterDrivers.h"
#include "smp/tools/Disturbance.h"
#include <atomic>
#include <climits>
#include <mutex>
#include <set>

namespace smp {

namespace {

/// Devices that run the whole program, and how they are written.
struct Part {
  std::vector<DeviceSpec> specs;
  std::string list;
};

std::string spell(const DeviceSpec &spec) {
  return spec.name() + (spec.settings.empty() ? "" : "=" + spec.settings);
}

StatusOr<std::vector<Part>> divide(const std::string &list,
                                   uint32_t partitions) {
  if (list.empty())
    return std::vector<Part>(1);
  SMP_ASSIGN_OR_RETURN(std::vector<DeviceSpec> specs, parseDeviceList(list));
  if (specs.size() % partitions)
    return invalidArgument("the program has " + std::to_string(partitions) +
                           " partitions, and " + std::to_string(specs.size()) +
                           " devices were given: " + list +
                           "; to measure it give one device per partition, or "
                           "that many several times");
  std::vector<Part> parts;
  for (size_t first = 0; first < specs.size(); first += partitions) {
    Part part;
    part.specs.assign(specs.begin() + ptrdiff_t(first),
                      specs.begin() + ptrdiff_t(first + partitions));
    part.list = join(part.specs, ",", spell);
    parts.push_back(std::move(part));
  }
  for (const DeviceSpec &spec : specs)
    if (parts.size() > 1 && spec.driver == "cpu" && spec.settings.empty())
      return invalidArgument("device '" + spec.name() +
                             "' does not say its cores, and would share those "
                             "of others that are measured at the same time: "
                             "write " +
                             spec.name() + "=" + std::to_string(spec.ordinal) +
                             ", say");
  return parts;
}

/// Measures all parts at once.
class Profiler {
public:
  Profiler(const SharedProgram &shared, const Program &program,
           std::span<const InputTensor> inputs, const ProfileRequest &request,
           CostProfile profile)
      : shared(shared), program(program), inputs(inputs), request(request),
        profile(std::move(profile)) {}

  StatusOr<Costs> run(std::vector<Part> parts) {
    warming = measuring = int(parts.size());
    std::vector<std::unique_ptr<Thread>> threads;
    for (const Part &part : parts) {
      SMP_ASSIGN_OR_RETURN(auto thread,
                           Thread::start("smp profile", [this, &part] {
                             if (Status status = measure(part); !status.ok())
                               fail(status.in(part.list));
                           }));
      threads.push_back(std::move(thread));
    }
    threads.clear();
    SMP_RETURN_IF_ERROR(std::move(failure));
    Costs costs = profile.costs();
    SMP_ASSIGN_OR_RETURN(costs.links, measureLinks(parts));
    return costs;
  }

private:
  static constexpr uint32_t kWarmUps = 2;
  /// How many times as many steps are made, at the most, to find good ones.
  static constexpr uint32_t kPatience = 5;

  void fail(const Status &status) {
    std::lock_guard<std::mutex> lock(mutex);
    if (failure.ok())
      failure = status;
    measuring = INT_MIN / 2; // However many still count it down.
  }

  /// Steps of one part. They count once all parts are warm, and go on until the
  /// others have all that they need: so nobody is measured alone. A step in
  /// which something else had the processor does not count, unless there are
  /// hardly any others.
  Status measure(const Part &part) {
    if (part.specs.size() == 1)
      SMP_RETURN_IF_ERROR(bindTo(part.specs[0]));
    std::vector<ProfileSpan> spans;
    SessionOptions options = request.session;
    options.devices = part.list;
    options.profile = [&](std::string_view, std::span<const ProfileSpan> step) {
      spans.assign(step.begin(), step.end());
    };
    SMP_ASSIGN_OR_RETURN(Session session, Session::open(shared, options));
    const std::vector<DeviceMemory> devices = session.memory();
    uint32_t made = 0, tried = 0, counted = 0;
    while (measuring > 0 && !(request.interrupted && request.interrupted())) {
      const bool mayCount = warming == 0 && counted < request.steps;
      const Disturbance disturbance;
      SMP_RETURN_IF_ERROR(
          session.step(request.entry, inputs, {request.microbatches, {}})
              .status());
      if (++made == kWarmUps)
        --warming;
      if (!mayCount)
        continue;
      const bool isPatient = ++tried < kPatience * request.steps;
      if (isPatient && !disturbance.isSmall())
        continue;
      std::lock_guard<std::mutex> lock(mutex);
      profile.add(spans, devices);
      if (++counted == request.steps)
        --measuring;
    }
    return Status();
  }

  /// A Session with one partition works on the thread that calls it.
  Status bindTo(const DeviceSpec &spec) const {
    SMP_ASSIGN_OR_RETURN(auto device, open(spec));
    device->bindThisThread();
    return Status();
  }

  StatusOr<std::unique_ptr<Device>> open(const DeviceSpec &spec) const {
    DriverRegistry drivers;
    registerDrivers(drivers);
    SMP_ASSIGN_OR_RETURN(Driver * driver, drivers.find(spec.driver));
    DeviceOptions options;
    options.level = request.session.level;
    SMP_ASSIGN_OR_RETURN(auto devices, driver->open({&spec, 1}, options));
    return std::move(devices.front());
  }

  /// Between the first two devices of each two kinds.
  StatusOr<std::vector<LinkCosts>>
  measureLinks(const std::vector<Part> &parts) const {
    std::vector<DeviceSpec> specs;
    for (const Part &part : parts)
      specs.insert(specs.end(), part.specs.begin(), part.specs.end());
    std::vector<std::unique_ptr<Device>> devices;
    for (const DeviceSpec &spec : specs) {
      SMP_ASSIGN_OR_RETURN(auto device, open(spec));
      devices.push_back(std::move(device));
    }
    std::vector<LinkCosts> links;
    std::set<std::pair<std::string, std::string>> known;
    for (const auto &from : devices)
      for (const auto &to : devices)
        if (from != to && known.emplace(from->kind(), to->kind()).second) {
          SMP_ASSIGN_OR_RETURN(LinkCosts link, probeOnThread(*from, *to));
          links.push_back(std::move(link));
        }
    return links;
  }

  static StatusOr<LinkCosts> probeOnThread(Device &from, Device &to) {
    StatusOr<LinkCosts> link = internalError("the probe did not run");
    SMP_ASSIGN_OR_RETURN(auto thread, Thread::start("smp probe", [&] {
                           from.bindThisThread();
                           link = probeLink(from, to);
                         }));
    thread.reset();
    return link;
  }

  const SharedProgram &shared;
  const Program &program;
  std::span<const InputTensor> inputs;
  const ProfileRequest &request;
  std::mutex mutex;
  CostProfile profile; ///< With the mutex.
  Status failure;      ///< With the mutex.
  /// Parts that have not made the steps that do not count, and those that do.
  std::atomic<int> warming{0}, measuring{0};
};

} // namespace

StatusOr<Costs> profileProgram(const SharedProgram &shared,
                               const Program &program,
                               std::span<const InputTensor> inputs,
                               const ProfileRequest &request) {
  SMP_ASSIGN_OR_RETURN(std::vector<Part> parts,
                       divide(request.devices, program.partitions));
  SMP_ASSIGN_OR_RETURN(CostProfile profile, CostProfile::of(program));
  return Profiler(shared, program, inputs, request, std::move(profile))
      .run(std::move(parts));
}

} // namespace smp
