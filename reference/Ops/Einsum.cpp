// Einsum: contracts the operands from left to right, each time by a batch of matrix products.
//
// For two operands, each label is a batch label (kept, in both), a row label (kept, in the left one), a
// column label (kept, in the right one) or a depth label (summed over). Both operands are copied into that
// order of dimensions; the strided copy also takes diagonals (a label that occurs twice in an operand) and
// repeats broadcast dimensions. A single operand is contracted with the scalar 1.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Products.h"
#include "reference/Ops/StridedCopy.h"

#include <fmt/core.h>
#include <map>
#include <set>

namespace tilerig::reference {

namespace {

// A letter of the equation, or a dimension that the ellipsis stands for; these dimensions are numbered from
// the right, from ellipsisLabel on, which is larger than any letter.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label ellipsisLabel = 256;

struct Operand {
  Tensor tensor;
  Labels labels;
};
struct Equation {
  std::vector<Labels> terms;
  Labels output;
};

// Parses the labels of one term; its ellipsis stands for `hidden` dimensions.
Result<Labels> parseTerm(const OpContext &context, std::string_view term, size_t hidden) {
  Labels labels;
  bool seen = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i, 3) == "..." && !seen) {
      for (size_t d = hidden; d-- > 0;)
        labels.push_back(ellipsisLabel + static_cast<Label>(d));
      seen = true;
      i += 2;
    } else if ((term[i] >= 'a' && term[i] <= 'z') || (term[i] >= 'A' && term[i] <= 'Z')) {
      labels.push_back(term[i]);
    } else {
      return context.invalid(
          fmt::format("term '{}' of the equation may hold only letters and one ellipsis", term));
    }
  }
  return labels;
}

std::vector<std::string> splitTerms(const std::string &text) {
  std::vector<std::string> terms(1);
  for (char c : text)
    if (c == ',')
      terms.emplace_back();
    else
      terms.back() += c;
  return terms;
}

// The output labels of an equation without an arrow: those of the ellipsis, then every label that occurs
// once, in alphabetical order.
Labels impliedOutput(const std::vector<Labels> &terms, size_t hidden) {
  std::map<Label, int> occurrences;
  for (const Labels &term : terms)
    for (Label label : term)
      ++occurrences[label];
  Labels output;
  for (size_t d = hidden; d-- > 0;)
    output.push_back(ellipsisLabel + static_cast<Label>(d));
  for (auto [label, count] : occurrences)
    if (label < ellipsisLabel && count == 1)
      output.push_back(label);
  return output;
}

Status checkOutput(const OpContext &context, const Equation &equation) {
  std::set<Label> known, seen;
  for (const Labels &term : equation.terms)
    known.insert(term.begin(), term.end());
  for (Label label : equation.output)
    if (!known.contains(label) || !seen.insert(label).second)
      return context.invalid("each label of the output must occur once there, and in an operand");
  return success();
}

Result<Equation> parseEquation(const OpContext &context) {
  TILERIG_TRY(std::string text, context.textAttribute("equation"));
  std::erase(text, ' ');
  size_t arrow = text.find("->");
  auto terms = splitTerms(text.substr(0, arrow));
  if (terms.size() != context.numInputs())
    return context.invalid(
        fmt::format("equation '{}' has {} terms for {} operands", text, terms.size(), context.numInputs()));
  Equation equation;
  size_t mostHidden = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    size_t rank = context.input(i).rank();
    TILERIG_TRY(Labels letters, parseTerm(context, terms[i], 0));
    bool hides = terms[i].find("...") != std::string::npos;
    if (letters.size() > rank || (!hides && letters.size() < rank))
      return context.invalid(fmt::format("term '{}' does not match its operand of rank {}", terms[i], rank));
    mostHidden = std::max(mostHidden, rank - letters.size());
    TILERIG_TRY(Labels labels, parseTerm(context, terms[i], rank - letters.size()));
    equation.terms.push_back(std::move(labels));
  }
  equation.output = impliedOutput(equation.terms, mostHidden);
  if (arrow != std::string::npos) {
    TILERIG_TRY(equation.output, parseTerm(context, text.substr(arrow + 2), mostHidden));
  }
  TILERIG_CHECK_OK(checkOutput(context, equation));
  return equation;
}

using Sizes = std::map<Label, int64_t>;

// The size of the dimensions with each label; dimensions with the same label must have the same size or size
// 1.
Result<Sizes> labelSizes(const OpContext &context, const Equation &equation) {
  Sizes sizes;
  for (size_t i = 0; i < equation.terms.size(); ++i)
    for (size_t d = 0; d < equation.terms[i].size(); ++d) {
      int64_t size = context.input(i).shape()[d];
      int64_t &known = sizes.try_emplace(equation.terms[i][d], 1).first->second;
      if (known != 1 && size != 1 && known != size)
        return context.invalid(fmt::format("axes of one label have different sizes, {} and {}", known, size));
      known = size == 1 ? known : size;
    }
  return sizes;
}

Shape shapeOf(const Labels &labels, const Sizes &sizes) {
  Shape shape;
  for (Label label : labels)
    shape.push_back(sizes.at(label));
  return shape;
}

// The operand, copied so that its dimensions are `labels` in this order; it is repeated along labels that it
// does not have.
Result<Tensor> arranged(const Operand &operand, const Labels &labels, const Sizes &sizes, Threads &threads) {
  StridedView view{shapeOf(labels, sizes), std::vector<int64_t>(labels.size(), 0), 0};
  auto strides = operand.tensor.strides();
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t d = 0; d < operand.labels.size(); ++d)
      if (operand.labels[d] == labels[i] && operand.tensor.shape()[d] != 1)
        view.strides[i] += strides[d];
  return stridedCopy(operand.tensor, view, threads);
}

Labels joined(std::initializer_list<const Labels *> lists) {
  Labels all;
  for (const Labels *list : lists)
    all.insert(all.end(), list->begin(), list->end());
  return all;
}

// The labels of two operands by their role in a matrix product, given the set of labels that are kept.
struct Roles {
  Labels batch, rows, columns, depth;

  Roles(const Labels &left, const Labels &right, const std::set<Label> &staying) {
    std::set<Label> inLeft(left.begin(), left.end()), inRight(right.begin(), right.end());
    std::set<Label> all = inLeft;
    all.insert(inRight.begin(), inRight.end());
    for (Label label : all)
      if (!staying.contains(label))
        depth.push_back(label);
      else if (inLeft.contains(label) && inRight.contains(label))
        batch.push_back(label);
      else
        (inLeft.contains(label) ? rows : columns).push_back(label);
  }
};

Result<Operand> contract(OpContext &context, const Operand &left, const Operand &right,
                         const std::set<Label> &staying, const Sizes &sizes) {
  Roles roles(left.labels, right.labels, staying);
  TILERIG_TRY(Tensor a,
              arranged(left, joined({&roles.batch, &roles.rows, &roles.depth}), sizes, context.threads));
  TILERIG_TRY(Tensor b,
              arranged(right, joined({&roles.batch, &roles.depth, &roles.columns}), sizes, context.threads));
  Labels labels = joined({&roles.batch, &roles.rows, &roles.columns});
  TILERIG_TRY(Tensor y, Tensor::make(a.dtype(), shapeOf(labels, sizes)));
  ProductShape shape{product(shapeOf(roles.rows, sizes)),
                     product(shapeOf(roles.columns, sizes)),
                     product(shapeOf(roles.depth, sizes)),
                     y.shape(),
                     {}};
  if (y.elementCount() != 0)
    for (int64_t i = 0; i < product(shapeOf(roles.batch, sizes)); ++i)
      shape.batches.emplace_back(i, i);
  TILERIG_CHECK_OK(multiplyBatches(context, shape, a, b, y));
  return Operand{std::move(y), std::move(labels)};
}

Result<Tensor> one(const OpContext &context, DType type) {
  return dispatch(type, [&]<class T>() -> Result<Tensor> {
    if constexpr (std::is_arithmetic_v<T>)
      return Tensor::scalar(T(1));
    else
      return context.invalid(fmt::format("operands of type {} are not supported", nameOf(type)));
  });
}

Status einsum(OpContext &context) {
  TILERIG_TRY(Equation equation, parseEquation(context));
  TILERIG_TRY(Sizes sizes, labelSizes(context, equation));
  DType type = context.input(0).dtype();
  TILERIG_TRY(Tensor unit, one(context, type));
  std::vector<Operand> operands;
  for (size_t i = 0; i < context.numInputs(); ++i) {
    if (context.input(i).dtype() != type)
      return context.invalid("all operands must have the same type");
    operands.push_back({context.input(i), equation.terms[i]});
  }
  if (operands.size() == 1)
    operands.push_back({unit, {}});
  Operand result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    std::set<Label> staying(equation.output.begin(), equation.output.end());
    for (size_t later = i + 1; later < operands.size(); ++later)
      staying.insert(operands[later].labels.begin(), operands[later].labels.end());
    TILERIG_TRY(result, contract(context, result, operands[i], staying, sizes));
  }
  TILERIG_TRY(context.outputs[0], arranged(result, equation.output, sizes, context.threads));
  return success();
}

} // namespace

std::span<const OpEntry> einsumOps() {
  static constexpr OpEntry entries[] = {
      {"Einsum", 12, 1, anyNumber, einsum},
  };
  return entries;
}

} // namespace tilerig::reference
