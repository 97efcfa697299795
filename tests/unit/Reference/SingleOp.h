// Runs a single operator of the reference interpreter without a model around it.
#pragma once

#include "reference/Run/Operator.h"

namespace tilerig::reference {

struct SingleOp {
  std::string op;
  std::map<std::string, Attribute, std::less<>> attributes = {};
  int opset = 21;
  Arithmetic arithmetic = Arithmetic::fast;
  unsigned threads = 1;
  size_t outputs = 1;
  std::vector<size_t> missing = {}; // indices of inputs to treat as absent, whatever tensor is passed

  Result<std::vector<Tensor>> run(std::vector<Tensor> inputs) const {
    const OpEntry *entry = findOp("", op, opset);
    if (!entry)
      return unsupported(op, "no such operator");
    Node node{"node", "", op, opset, {}, std::vector<ValueId>(outputs, 1), attributes};
    Threads pool(threads);
    std::vector<bool> present(inputs.size(), true);
    for (size_t index : missing)
      present[index] = false;
    OpContext context(node, asValues(std::move(inputs)), std::move(present), pool, arithmetic);
    TILERIG_CHECK_OK(entry->kernel(context));
    std::vector<Tensor> results;
    for (RuntimeValue &output : context.outputs)
      results.push_back(std::get<Tensor>(std::move(output)));
    return results;
  }
};

} // namespace tilerig::reference
