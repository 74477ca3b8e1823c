// SPDX-License-Identifier: Apache-2.0
#include "CudaLibrary.h"
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace smp::cuda {

/// CUDA 12.0, the first that has cuGetProcAddress_v2 and ISA 8.0.
static constexpr int kLeastVersion = 12000;

static const char *const kInstead =
    "; use a machine that has one, or cuda-emulator, which needs no GPU";

/// The folder that the object with this code is in, with a slash.
static std::string ownFolder() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  if (path.find('/') == path.npos) { // A command that the PATH led to.
    std::error_code ignored;
    path = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  }
  return path.substr(0, path.rfind('/') + 1);
}

/// The emulator; all others are of a GPU's maker.
static bool isOurs(const std::string &name) {
  return name.starts_with("libsmp");
}

/// As the loader finds it; a library of ours also where it is installed and
/// built: beside this one, or in lib beside the folder of a command.
static void *openByName(const std::string &name, std::string &why) {
  const std::string folder = ownFolder();
  std::vector<std::string> paths = {name};
  if (isOurs(name) && !folder.empty())
    paths.insert(paths.end(), {folder + name, folder + "../lib/" + name});
  for (const std::string &path : paths) {
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    const char *error = dlerror();
    why += (why.empty() ? "" : "; ") + std::string(error ? error : path);
  }
  return nullptr;
}

static Status fillTable(CudaLibrary &table, void *library,
                        const std::string &who) {
  const auto lookUp =
      reinterpret_cast<CUgetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (!lookUp)
    return failedPrecondition(
        who + ": the driver is older than 525 (CUDA 12.0): update it" +
        kInstead);
  const auto get = [&](const char *name) {
    void *function = nullptr;
    return lookUp(name, &function, kLeastVersion, 0, nullptr) == CUDA_SUCCESS
               ? function
               : nullptr;
  };
#define SMP_CUDA_FIND(name, exported, arguments)                               \
  table.name = reinterpret_cast<CUresult(*) arguments>(get(#name));            \
  if (!table.name)                                                             \
    return failedPrecondition(who +                                            \
                              ": the driver has no " #name                     \
                              "; it must be 525 (CUDA 12.0) or later" +        \
                              kInstead);
  SMP_CUDA_FUNCTIONS(SMP_CUDA_FIND)
#undef SMP_CUDA_FIND
#define SMP_CUDA_FIND(name, exported, arguments)                               \
  table.name =                                                                 \
      reinterpret_cast<CUresult(*) arguments>(dlsym(library, #exported));
  SMP_CUDA_EMULATOR_FUNCTIONS(SMP_CUDA_FIND)
#undef SMP_CUDA_FIND
  return Status();
}

static StatusOr<std::unique_ptr<CudaLibrary>> load(const std::string &name,
                                                   const std::string &who) {
  std::string why;
  void *library = openByName(name, why);
  if (!library)
    return failedPrecondition(
        who + ": there is no driver: " + why +
        (isOurs(name) ? "; smp's build makes it: put it beside libsmp.so or "
                        "where the loader looks"
                      : kInstead));
  auto table = std::make_unique<CudaLibrary>();
  SMP_RETURN_IF_ERROR(fillTable(*table, library, who));
  if (const CUresult result = table->cuInit(0); result == CUDA_ERROR_NO_DEVICE)
    return failedPrecondition(who + ": this machine has no GPU" + kInstead);
  else if (result != CUDA_SUCCESS)
    return failedPrecondition(
        who + ": " + table->error(result, "cuInit").message() + kInstead);
  table->cuDriverGetVersion(&table->version);
  if (table->version < kLeastVersion)
    return failedPrecondition(who + ": the driver is for CUDA " +
                              std::to_string(table->version / 1000) + "." +
                              std::to_string(table->version % 1000 / 10) +
                              "; it must be 525 (CUDA 12.0) or later" +
                              kInstead);
  return table;
}

StatusOr<const CudaLibrary *> CudaLibrary::open(const std::string &name,
                                                const std::string &who) {
  static std::mutex lock;
  static auto &opened =
      *new std::map<std::string, std::unique_ptr<CudaLibrary>>;
  std::lock_guard<std::mutex> hold(lock);
  std::unique_ptr<CudaLibrary> &library = opened[name];
  if (!library) {
    SMP_ASSIGN_OR_RETURN(library, load(name, who));
  }
  return static_cast<const CudaLibrary *>(library.get());
}

Status CudaLibrary::error(CUresult result, const char *call) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  const std::string message =
      std::string(call) + ": " +
      (name ? name : "error " + std::to_string(int(result))) +
      (text ? " (" + std::string(text) + ")" : "");
  return result == CUDA_ERROR_OUT_OF_MEMORY ? resourceExhausted(message)
                                            : internalError(message);
}

} // namespace smp::cuda
