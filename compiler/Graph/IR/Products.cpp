// Shape and type inference for the operations of Products.td.
#include "compiler/Graph/IR/Einsum.h"
#include "compiler/Graph/IR/Shapes.h"

#include <llvm/ADT/StringExtras.h>
#include <map>

namespace tilerig::compiler::graph {

// Shape of a matrix product. Vectors are extended to matrices, and the added axis is removed from the result.
std::optional<Dims> multiplied(llvm::ArrayRef<int64_t> left, llvm::ArrayRef<int64_t> right,
                               Complaint complain) {
  Dims a(left), b(right);
  if (a.empty() || b.empty()) {
    (void)complain("a scalar cannot be an operand of a matrix product");
    return {};
  }
  const bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  const auto batches = broadcast(llvm::ArrayRef(a).drop_back(2), llvm::ArrayRef(b).drop_back(2));
  if (!batches || a.back() != b[b.size() - 2]) {
    (void)complain("matrices of shapes ", text(left), " and ", text(right), " cannot be multiplied");
    return {};
  }
  Dims shape = *batches;
  if (!isRow)
    shape.push_back(a[a.size() - 2]);
  if (!isColumn)
    shape.push_back(b.back());
  return shape;
}

llvm::LogicalResult MatMulOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const mlir::Type element = tensorType(adaptor.getA()).getElementType();
  if (element != tensorType(adaptor.getB()).getElementType())
    return complain("operands have different element types, ", element, " and ",
                    tensorType(adaptor.getB()).getElementType());
  const auto shape = multiplied(shapeOf(adaptor.getA()), shapeOf(adaptor.getB()), complain);
  if (!shape)
    return llvm::failure();
  types.push_back(mlir::RankedTensorType::get(*shape, element));
  return llvm::success();
}

llvm::LogicalResult GemmOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                             Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const auto a = shapeOf(adaptor.getA()), b = shapeOf(adaptor.getB());
  if (a.size() != 2 || b.size() != 2 || a[adaptor.getTransA() ? 0 : 1] != b[adaptor.getTransB() ? 1 : 0])
    return complain("matrices of shapes ", text(a), adaptor.getTransA() ? " transposed" : "", " and ",
                    text(b), adaptor.getTransB() ? " transposed" : "", " cannot be multiplied");
  const Dims shape = {a[adaptor.getTransA() ? 1 : 0], b[adaptor.getTransB() ? 0 : 1]};
  if (adaptor.getC() && broadcast(shapeOf(adaptor.getC()), shape) != shape)
    return complain("operand C of shape ", text(shapeOf(adaptor.getC())), " cannot be broadcast to ",
                    text(shape));
  types.push_back(mlir::RankedTensorType::get(shape, tensorType(adaptor.getA()).getElementType()));
  return llvm::success();
}

llvm::LogicalResult AttentionOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                                  Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const auto q = shapeOf(adaptor.getQ()), k = shapeOf(adaptor.getK()), v = shapeOf(adaptor.getV());
  if (q.size() < 2 || k.size() < 2 || v.size() < 2 || q.back() != k.back() ||
      k[k.size() - 2] != v[v.size() - 2])
    return complain("the shapes of queries ", text(q), ", keys ", text(k), " and values ", text(v),
                    " do not match");
  auto scores = broadcast(q.drop_back(2), k.drop_back(2));
  auto batches = scores ? broadcast(*scores, v.drop_back(2)) : std::nullopt;
  if (!batches)
    return complain("the batch axes of queries ", text(q), ", keys ", text(k), " and values ", text(v),
                    " cannot be broadcast");
  scores->append({q[q.size() - 2], k[k.size() - 2]});
  if (adaptor.getMask() && broadcast(shapeOf(adaptor.getMask()), *scores) != scores)
    return complain("mask of shape ", text(shapeOf(adaptor.getMask())), " cannot be broadcast to ",
                    text(*scores));
  if (adaptor.getChoice() && broadcast(shapeOf(adaptor.getChoice()), *scores) != scores)
    return complain("operand 'choice' of shape ", text(shapeOf(adaptor.getChoice())),
                    " cannot be broadcast to ", text(*scores));
  if (static_cast<bool>(adaptor.getChoice()) != adaptor.getFill().has_value())
    return complain("'choice' and 'fill' must be given together");
  batches->append({q[q.size() - 2], v.back()});
  types.push_back(mlir::RankedTensorType::get(*batches, tensorType(adaptor.getQ()).getElementType()));
  return llvm::success();
}

// Smallest number that labels an axis under the ellipsis of an einsum equation; labels of named axes, which
// are letters, are smaller. Axes under an ellipsis are numbered from the right.
static constexpr int firstHidden = 256;

std::optional<llvm::SmallVector<int>> lettersOf(llvm::StringRef term, size_t hidden) {
  llvm::SmallVector<int> letters;
  bool isHiding = false;
  while (!term.empty()) {
    if (!isHiding && term.consume_front("...")) {
      isHiding = true;
      for (size_t i = hidden; i-- > 0;)
        letters.push_back(firstHidden + static_cast<int>(i));
    } else if (llvm::isAlpha(term.front())) {
      letters.push_back(term.front());
      term = term.drop_front();
    } else {
      return {};
    }
  }
  return letters;
}

namespace {

// Size of each axis of an einsum, by the label of the axis.
using Sizes = std::map<int, int64_t>;

// Records in `sizes` the sizes of the labels of an operand; axes under an ellipsis broadcast. Returns the
// number of axes under the ellipsis, or nothing if the term does not fit the shape.
std::optional<size_t> readTerm(llvm::StringRef term, llvm::ArrayRef<int64_t> shape, Sizes &sizes) {
  const size_t named = llvm::count_if(term, [](char c) { return c != '.'; });
  const bool isHiding = term.contains("...");
  if (named > shape.size() || (!isHiding && named != shape.size()))
    return {};
  const size_t hidden = shape.size() - named;
  const auto letters = lettersOf(term, hidden);
  if (!letters || letters->size() != shape.size())
    return {};
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t &size = sizes.try_emplace((*letters)[i], shape[i]).first->second;
    if (size != shape[i] && size != 1 && shape[i] != 1)
      return {};
    size = size == 1 ? shape[i] : size;
  }
  return hidden;
}

} // namespace

llvm::LogicalResult EinsumOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const auto [left, right] = adaptor.getEquation().split("->");
  llvm::SmallVector<llvm::StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != adaptor.getInputs().size() || !adaptor.getEquation().contains("->"))
    return complain("equation '", adaptor.getEquation(), "' does not fit ", adaptor.getInputs().size(),
                    " operands");
  Sizes sizes;
  size_t hidden = 0;
  for (const auto &[term, operand] : llvm::zip_equal(terms, adaptor.getInputs())) {
    const auto own = readTerm(term, shapeOf(operand), sizes);
    if (!own || tensorType(operand).getElementType() != tensorType(adaptor.getInputs()[0]).getElementType())
      return complain("term '", term, "' does not fit an operand of type ", operand.getType());
    hidden = std::max(hidden, *own);
  }
  const auto letters = lettersOf(right, hidden);
  Dims shape;
  for (int letter : letters.value_or(llvm::SmallVector<int>())) {
    if (!sizes.contains(letter) || llvm::count(*letters, letter) != 1)
      return complain("the result '", right, "' has a repeated letter, or a letter that no operand has");
    shape.push_back(sizes[letter]);
  }
  if (!letters)
    return complain("the result '", right, "' may contain only letters and one ellipsis");
  types.push_back(mlir::RankedTensorType::get(shape, tensorType(adaptor.getInputs()[0]).getElementType()));
  return llvm::success();
}

} // namespace tilerig::compiler::graph
