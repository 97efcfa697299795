#include "emulator/Observe/ObservedOps.h"

namespace tilerig::emulator {

namespace {

class CapturingOp final : public PreparedOp {
public:
  explicit CapturingOp(StridedCopy copy) : PreparedOp(1), copy(std::move(copy)) {}
  std::optional<DataFault> run(uint64_t, uint64_t, Scratch &) const override {
    copy.run();
    return {};
  }

private:
  StridedCopy copy;
};

class ChangedOp final : public PreparedOp {
public:
  ChangedOp(std::unique_ptr<PreparedOp> op, std::vector<StridedCopy> changes)
      : PreparedOp(op->rows()), op(std::move(op)), changes(std::move(changes)) {}
  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    std::optional<DataFault> fault = op->run(begin, end, scratch);
    if (end == rows())
      for (const StridedCopy &change : changes)
        change.run();
    return fault;
  }

private:
  std::unique_ptr<PreparedOp> op;
  std::vector<StridedCopy> changes;
};

} // namespace

std::unique_ptr<PreparedOp> capturingOp(StridedCopy copy) {
  return std::make_unique<CapturingOp>(std::move(copy));
}

std::unique_ptr<PreparedOp> changedOp(std::unique_ptr<PreparedOp> op, std::vector<StridedCopy> changes) {
  return std::make_unique<ChangedOp>(std::move(op), std::move(changes));
}

} // namespace tilerig::emulator
