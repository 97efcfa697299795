// Counts and limits the rewrites of a pass.
#pragma once

#include "compiler/Passes/RewriteObservers.h"

#include <mlir/IR/OperationSupport.h>
#include <optional>

namespace tilerig::compiler {

// A rewrite that changed the function.
struct Rewrite {
  size_t attempt = 0;    // number among all attempts to rewrite, counted from 0
  std::string pattern;   // name of the pattern
  std::string operation; // the operation that it matched, as "graph.mul"
  std::string node;      // last ONNX node of that operation
};

// While it exists, prevents the attempts to rewrite from `limit` on.
class RewriteLimit : public RewriteObserver {
public:
  RewriteLimit(RewriteObservers &observers, size_t limit) : observers(observers), limit(limit) {
    observers.add(*this);
  }
  ~RewriteLimit() override { observers.remove(*this); }

private:
  bool allows() override { return count++ < limit; }

  RewriteObservers &observers;
  size_t limit, count = 0;
};

// While it exists, records the attempts that change their function.
class RewriteRecorder : public RewriteObserver {
public:
  explicit RewriteRecorder(RewriteObservers &observers) : observers(observers) { observers.add(*this); }
  ~RewriteRecorder() override { observers.remove(*this); }
  const std::vector<Rewrite> &rewrites() const { return list; }

private:
  void before(const RewriteAttempt &attempt) override;
  void after(const RewriteAttempt &attempt) override;

  RewriteObservers &observers;
  size_t count = 0;
  Rewrite current;
  std::optional<mlir::OperationFingerPrint> fingerprint;
  std::vector<Rewrite> list;
};

} // namespace tilerig::compiler
