// SPDX-License-Identifier: Apache-2.0
#include "smp/runtime/Session.h"
#include "smp/drivers/RegisterDrivers.h"
#include "smp/exec/RunnableProgram.h"
#include "smp/exec/SessionCore.h"

namespace smp {

StatusOr<SharedProgram> SharedProgram::open(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(auto program, RunnableProgram::open(path));
  return SharedProgram(std::move(program));
}

StatusOr<SharedProgram>
SharedProgram::read(std::span<const std::byte> bytes,
                    std::span<const std::byte> weights) {
  SMP_ASSIGN_OR_RETURN(auto program, RunnableProgram::read(bytes, weights));
  return SharedProgram(std::move(program));
}

uint64_t SharedProgram::fingerprint() const { return program->fingerprint(); }
std::vector<EntrySignature> SharedProgram::entries() const {
  return describeEntries(program->program());
}
std::vector<VariableSignature> SharedProgram::variables() const {
  return describeVariables(program->program());
}

Session::Session(std::unique_ptr<SessionCore> core) : core(std::move(core)) {}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

StatusOr<Session> Session::open(const SharedProgram &program,
                                SessionOptions options) {
  auto drivers = std::make_unique<DriverRegistry>();
  registerDrivers(*drivers);
  SMP_ASSIGN_OR_RETURN(auto core,
                       SessionCore::open(program.program, std::move(options),
                                         std::move(drivers)));
  return Session(std::move(core));
}

StatusOr<Session> Session::open(const std::string &path,
                                SessionOptions options) {
  SMP_ASSIGN_OR_RETURN(auto program, SharedProgram::open(path));
  return open(program, std::move(options));
}

StatusOr<StepOutput> Session::step(std::string_view entry,
                                   std::span<const InputTensor> inputs,
                                   const StepOptions &options) {
  return core->step(entry, inputs, options);
}

Status Session::stepAsync(std::string_view entry,
                          std::span<const InputTensor> inputs,
                          const StepOptions &options,
                          std::function<void(StatusOr<StepOutput>)> done) {
  return core->stepAsync(entry, inputs, options, std::move(done));
}

void Session::requestStop() { core->requestStop(); }
void Session::clearStop() { core->clearStop(); }

Status Session::setVariable(std::string_view name, const TensorView &value) {
  return core->setVariable(name, value);
}
Status Session::getVariable(std::string_view name, std::span<std::byte> bytes) {
  return core->getVariable(name, bytes);
}

Status Session::addObserver(std::weak_ptr<StepObserver> observer,
                            OnObserverError onError) {
  return core->addObserver(std::move(observer), onError);
}

std::vector<EntrySignature> Session::entries() const { return core->entries(); }
std::vector<VariableSignature> Session::variables() const {
  return core->variables();
}
std::vector<DeviceMemory> Session::memory() const { return core->memory(); }
std::vector<StageTime> Session::stageTimes() const {
  return core->stageTimes();
}
std::vector<KernelWork> Session::kernelWork() const {
  return core->kernelWork();
}
LoadTime Session::loadTime() const { return core->loadTime(); }

uint32_t Session::rank() const { return core->rank(); }
uint32_t Session::rankCount() const { return core->rankCount(); }

} // namespace smp
