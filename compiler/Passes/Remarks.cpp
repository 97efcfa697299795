#include "compiler/Passes/Remarks.h"

#include "compiler/Graph/IR/Origins.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

RemarkKind kindOf(const mlir::remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return RemarkKind::applied;
  case llvm::remarks::Type::Missed:
  case llvm::remarks::Type::Failure:
    return RemarkKind::missed;
  default:
    return RemarkKind::analysis;
  }
}

// The parts of a remark in order, joined to one text. If a part has a key that this compiler does not use, as
// in remarks of plugins, the key is included.
std::string textOf(const mlir::remark::detail::Remark &remark) {
  std::string text;
  for (const auto &part : remark.getArgs())
    text += part.key == "Remark" ? part.val : fmt::format(" {}={}", part.key, part.val);
  return text;
}

} // namespace

class RemarkCollector::Streamer : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(std::shared_ptr<std::vector<PassRemark>> list) : list(std::move(list)) {}

  void streamOptimizationRemark(const mlir::remark::detail::Remark &remark) override {
    list->push_back({kindOf(remark), remark.getCategoryName().str(), remark.getRemarkName().str(),
                     graph::nodeName(remark.getLocation()), textOf(remark)});
  }

private:
  std::shared_ptr<std::vector<PassRemark>> list;
};

RemarkCollector::RemarkCollector(mlir::MLIRContext &context)
    : list(std::make_shared<std::vector<PassRemark>>()) {
  mlir::remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.failed = categories.analysis = ".*";
  // The call can fail only for an invalid regular expression, and ".*" is valid.
  (void)mlir::remark::enableOptimizationRemarks(context, std::make_unique<Streamer>(list),
                                                std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(),
                                                categories);
}

std::vector<PassRemark> RemarkCollector::distinct() const {
  std::vector<PassRemark> remarks;
  const auto isMadeLater = [](const PassRemark &missed, auto begin, auto end) {
    return std::any_of(begin, end, [&](const PassRemark &other) {
      return other.kind == RemarkKind::applied && other.pass == missed.pass && other.node == missed.node;
    });
  };
  for (auto remark = list->begin(); remark != list->end(); ++remark) {
    const bool isRepeated = remark->kind != RemarkKind::applied && llvm::is_contained(remarks, *remark);
    if (!isRepeated && (remark->kind != RemarkKind::missed || !isMadeLater(*remark, remark + 1, list->end())))
      remarks.push_back(*remark);
  }
  return remarks;
}

llvm::StringRef nameOf(RemarkKind kind) {
  constexpr std::array names = {"applied", "missed", "analysis"};
  return names[static_cast<size_t>(kind)];
}

std::string lineOf(const PassRemark &remark) {
  return fmt::format("{}: {}: {}{}", nameOf(remark.kind).str(), remark.pass,
                     remark.node.empty() ? "" : fmt::format("node '{}': ", remark.node), remark.text);
}

} // namespace tilerig::compiler
