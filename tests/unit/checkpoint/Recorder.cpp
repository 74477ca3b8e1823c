// SPDX-License-Identifier: Apache-2.0
#include "Recorder.h"

namespace smp::test {

using Kind = SaveEvent::Kind;
using Lock = std::lock_guard<std::mutex>;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

class RecordedFile : public WritableFile {
public:
  RecordedFile(Recorder &recorder, uint32_t rank, int file, std::string path,
               std::unique_ptr<WritableFile> inner)
      : recorder(recorder), rank(rank), file(file), path(std::move(path)),
        inner(std::move(inner)) {}

  /// Each block as it is then: a disk writes whole blocks.
  int write(uint64_t offset, std::span<const std::byte> bytes) override {
    const size_t end = offset + bytes.size();
    content.resize(std::max(content.size(), end));
    std::copy(bytes.begin(), bytes.end(), content.begin() + ptrdiff_t(offset));
    for (size_t block = offset / kBlockBytes; block * kBlockBytes < end;
         ++block) {
      const std::byte *first = content.data() + block * kBlockBytes;
      const std::byte *last =
          content.data() + std::min(content.size(), (block + 1) * kBlockBytes);
      recorder.add(rank, {.kind = Kind::Write,
                          .path = path,
                          .file = file,
                          .block = block,
                          .bytes = std::make_shared<Bytes>(first, last)});
    }
    return inner->write(offset, bytes);
  }
  int sync() override {
    recorder.add(rank, {.kind = Kind::SyncFile, .path = path, .file = file});
    return inner->sync();
  }

private:
  Recorder &recorder;
  const uint32_t rank;
  const int file;
  const std::string path;
  std::unique_ptr<WritableFile> inner;
  Bytes content;
};

/// The disk as one rank sees it.
class RecordedFiles : public FileSystem {
public:
  RecordedFiles(Recorder &recorder, uint32_t rank)
      : recorder(recorder), rank(rank) {}

  StatusOr<OutputPath> follow(const std::string &path) override {
    return recorder.disk.follow(path);
  }
  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    const int error = recorder.disk.make(path, old, file);
    if (error)
      return error;
    const int number = recorder.numberFile(path);
    recorder.add(rank, {.kind = Kind::Make, .path = path, .file = number});
    file = std::make_unique<RecordedFile>(recorder, rank, number, path,
                                          std::move(file));
    return 0;
  }
  int rename(const std::string &from, const std::string &to) override {
    int number;
    {
      const Lock hold(recorder.lock);
      number = recorder.fileOfPath[to] = recorder.fileOfPath[from];
    }
    return done(recorder.disk.rename(from, to),
                {.kind = Kind::Rename, .path = from, .to = to, .file = number});
  }
  int makeFolder(const std::string &path) override {
    return done(recorder.disk.makeFolder(path),
                {.kind = Kind::MakeFolder, .path = path});
  }
  int syncFolder(const std::string &path) override {
    return done(recorder.disk.syncFolder(path),
                {.kind = Kind::SyncFolder, .path = path});
  }
  int remove(const std::string &path) override {
    return done(recorder.disk.remove(path),
                {.kind = Kind::Remove, .path = path});
  }
  /// On a disk it is a file without bytes that may get its name or not.
  int lock(const std::string &path, std::unique_ptr<FileLock> &lock,
           std::string &holder) override {
    uint64_t ignored;
    const bool wasThere = recorder.disk.size(path, ignored) == 0;
    const int error = recorder.disk.lock(path, lock, holder);
    if (error || wasThere)
      return error;
    recorder.add(
        rank,
        {.kind = Kind::Make, .path = path, .file = recorder.numberFile(path)});
    return 0;
  }
  int list(const std::string &folder,
           std::vector<std::string> &names) override {
    return recorder.disk.list(folder, names);
  }
  int size(const std::string &path, uint64_t &bytes) override {
    return recorder.disk.size(path, bytes);
  }
  StatusOr<FileBytes> read(const std::string &path) override {
    return recorder.disk.read(path);
  }

private:
  int done(int error, SaveEvent event) {
    if (!error)
      recorder.add(rank, std::move(event));
    return error;
  }

  Recorder &recorder;
  const uint32_t rank;
};

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

class RecordedMessages : public Communicator {
public:
  RecordedMessages(Recorder &recorder, Communicator &inner)
      : recorder(recorder), inner(inner) {}
  RecordedMessages(Recorder &recorder, std::unique_ptr<Communicator> lane)
      : recorder(recorder), owned(std::move(lane)), inner(*owned) {}

  uint32_t rank() const override { return inner.rank(); }
  uint32_t size() const override { return inner.size(); }
  Status send(uint32_t to, MessageTag tag, std::span<const std::byte> bytes,
              Deadline deadline) override {
    recorder.addMessage(Kind::Send, rank(), rank(), to, tag);
    return inner.send(to, tag, bytes, deadline);
  }
  Status receive(uint32_t from, MessageTag tag, std::span<std::byte> bytes,
                 Deadline deadline) override {
    Status status = inner.receive(from, tag, bytes, deadline);
    if (status.ok())
      recorder.addMessage(Kind::Receive, rank(), from, rank(), tag);
    return status;
  }
  StatusOr<std::vector<std::byte>> receiveAny(uint32_t from, MessageTag tag,
                                              Deadline deadline) override {
    auto received = inner.receiveAny(from, tag, deadline);
    if (received.ok())
      recorder.addMessage(Kind::Receive, rank(), from, rank(), tag);
    return received;
  }
  void beginEpoch(uint64_t epoch) override { inner.beginEpoch(epoch); }
  uint64_t epoch() const override { return inner.epoch(); }
  void fail(uint64_t epoch, const Status &why) override {
    inner.fail(epoch, why);
  }
  uint64_t progress() const override { return inner.progress(); }
  std::string waits() const override { return inner.waits(); }
  void planMessages(uint64_t epoch,
                    std::span<const MessageSize> sizes) override {
    inner.planMessages(epoch, sizes);
  }

  std::unique_ptr<Communicator> openLane() override {
    return std::make_unique<RecordedMessages>(recorder, inner.openLane());
  }

private:
  Recorder &recorder;
  std::unique_ptr<Communicator> owned; // Of a lane.
  Communicator &inner;
};

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

Recorder::Recorder(MemoryDisk &disk, uint32_t ranks)
    : disk(disk), isSaving(ranks) {
  for (uint32_t rank = 0; rank < ranks; ++rank)
    views.push_back(std::make_unique<RecordedFiles>(*this, rank));
}
Recorder::~Recorder() = default;

FileSystem &Recorder::filesOf(uint32_t rank) { return *views[rank]; }

std::unique_ptr<Communicator> Recorder::watch(Communicator &communicator) {
  return std::make_unique<RecordedMessages>(*this, communicator);
}

void Recorder::add(uint32_t rank, SaveEvent event) {
  const Lock hold(lock);
  event.rank = rank;
  events.push_back(std::move(event));
}

int Recorder::numberFile(const std::string &path) {
  const Lock hold(lock);
  return fileOfPath[path] = numFiles++;
}

/// Messages of steps are left out: those of saves order the saves enough.
void Recorder::addMessage(Kind kind, uint32_t rank, uint32_t from, uint32_t to,
                          const MessageTag &tag) {
  const Lock hold(lock);
  if (!isSaving[rank])
    return;
  std::string message;
  for (uint64_t part :
       {uint64_t(from), uint64_t(to), tag.epoch, tag.key, uint64_t(tag.index)})
    message += std::to_string(part) + " ";
  const bool isSend = kind == Kind::Send;
  message += std::to_string(counts[(isSend ? "s" : "r") + message]++);
  events.push_back({.kind = kind, .rank = rank, .message = message});
}

void Recorder::noteSaving(uint32_t rank, bool isSavingNow) {
  const Lock hold(lock);
  isSaving[rank] = isSavingNow;
}

Status Recorder::save(uint32_t rank, int number, CheckpointManager &manager,
                      const SaveOptions &wanted) {
  return save(rank, number, [&] { return manager.save(wanted).status(); });
}

Status Recorder::save(uint32_t rank, int number,
                      const std::function<Status()> &make) {
  add(rank, {.kind = Kind::Begin, .number = number});
  noteSaving(rank, true);
  const Status saved = make();
  noteSaving(rank, false);
  if (saved.ok())
    add(rank, {.kind = Kind::Report, .number = number});
  return saved;
}

} // namespace smp::test
