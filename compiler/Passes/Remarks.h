// What passes report about their decisions, through MLIR's remark engine (mlir/IR/Remarks.h): a rewrite that a
// pass made, one that it did not make and why not, or a fact. Emitting a remark costs nothing unless a
// RemarkCollector, or an option of tilerig-opt such as --remarks-filter, listens.
#pragma once

#include <memory>
#include <mlir/IR/Remarks.h>
#include <string>
#include <vector>

namespace tilerig::compiler {

// Options of a remark, for mlir::remark::passed(), missed() and analysis(). `pass` is the name of the pass
// that emits the remark. `name`, for example the name of a rewrite pattern, groups remarks in statistics.
// Both texts must outlive the remark.
inline mlir::remark::RemarkOpts remarkOf(llvm::StringRef pass, llvm::StringRef name) {
  return mlir::remark::RemarkOpts::name(name).category(pass);
}

enum class RemarkKind : uint8_t { applied, missed, analysis };

struct PassRemark {
  RemarkKind kind = RemarkKind::analysis;
  std::string pass, name;
  std::string node; // ONNX node that the remark concerns; empty if there is none
  std::string text;

  bool operator==(const PassRemark &) const = default;
};

// Collects the remarks that passes emit in an MLIR context, from its construction on.
class RemarkCollector {
public:
  explicit RemarkCollector(mlir::MLIRContext &context);

  // The remarks in the order in which they were emitted.
  const std::vector<PassRemark> &all() const { return *list; }
  // The remarks for users, each listed once even if a pass has run several times. A rewrite that one run of a
  // pass missed and a later run made is not listed as missed.
  std::vector<PassRemark> distinct() const;

private:
  class Streamer;
  std::shared_ptr<std::vector<PassRemark>> list; // the remarks, shared with the MLIR context
};

// The kind of a remark as a word: "applied", "missed" or "analysis".
llvm::StringRef nameOf(RemarkKind kind);
// A remark as a line of text: "missed: fuse-addends: node 'add3': the result of Conv has 1 other readers".
std::string lineOf(const PassRemark &remark);

} // namespace tilerig::compiler
