#include "emulator/Observe/ObservedWorks.h"

namespace tilerig::emulator {

namespace {

class CapturingWork final : public Work {
public:
  explicit CapturingWork(StridedCopy copy) : Work(1), copy(std::move(copy)) {}
  std::optional<DataFault> run(uint64_t, uint64_t, Scratch &) const override {
    copy.run();
    return {};
  }

private:
  StridedCopy copy;
};

class ChangedWork final : public Work {
public:
  ChangedWork(std::unique_ptr<Work> work, std::vector<StridedCopy> changes)
      : Work(work->rows()), work(std::move(work)), changes(std::move(changes)) {}
  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    std::optional<DataFault> fault = work->run(begin, end, scratch);
    if (end == rows())
      for (const StridedCopy &change : changes)
        change.run();
    return fault;
  }

private:
  std::unique_ptr<Work> work;
  std::vector<StridedCopy> changes;
};

} // namespace

std::unique_ptr<Work> capturingWork(StridedCopy copy) {
  return std::make_unique<CapturingWork>(std::move(copy));
}

std::unique_ptr<Work> changedWork(std::unique_ptr<Work> work, std::vector<StridedCopy> changes) {
  return std::make_unique<ChangedWork>(std::move(work), std::move(changes));
}

} // namespace tilerig::emulator
