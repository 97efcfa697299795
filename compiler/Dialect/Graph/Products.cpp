// What operations of Products.td give.
#include "compiler/Dialect/Graph/Shapes.h"

namespace tilerig::graph {

using Types = llvm::SmallVectorImpl<mlir::Type>;

// Vectors become matrices, and the axis that they gained goes again.
llvm::LogicalResult MatMulOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor it, Types &types) {
  const Complaint complain{location};
  Shape a(shapeOf(it.getA())), b(shapeOf(it.getB()));
  if (a.empty() || b.empty())
    return complain("a scalar has no rows to multiply");
  const bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  const auto batches = broadcast(llvm::ArrayRef(a).drop_back(2), llvm::ArrayRef(b).drop_back(2));
  if (!batches || a.back() != b[b.size() - 2])
    return complain("matrices of ", text(shapeOf(it.getA())), " and ", text(shapeOf(it.getB())),
                    " do not multiply");
  Shape shape = *batches;
  if (!isRow)
    shape.push_back(a[a.size() - 2]);
  if (!isColumn)
    shape.push_back(b.back());
  types.push_back(mlir::RankedTensorType::get(shape, tensorType(it.getA()).getElementType()));
  return llvm::success();
}

llvm::LogicalResult GemmOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                             Adaptor it, Types &types) {
  const Complaint complain{location};
  const auto a = shapeOf(it.getA()), b = shapeOf(it.getB());
  if (a.size() != 2 || b.size() != 2 || a[it.getTransA() ? 0 : 1] != b[it.getTransB() ? 1 : 0])
    return complain("matrices of ", text(a), it.getTransA() ? " transposed" : "", " and ", text(b),
                    it.getTransB() ? " transposed" : "", " do not multiply");
  const Shape shape = {a[it.getTransA() ? 1 : 0], b[it.getTransB() ? 0 : 1]};
  if (it.getC() && broadcast(shapeOf(it.getC()), shape) != shape)
    return complain("a summand of ", text(shapeOf(it.getC())), " does not broadcast to ", text(shape));
  types.push_back(mlir::RankedTensorType::get(shape, tensorType(it.getA()).getElementType()));
  return llvm::success();
}

llvm::LogicalResult AttentionOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                                  Adaptor it, Types &types) {
  const Complaint complain{location};
  const auto q = shapeOf(it.getQ()), k = shapeOf(it.getK()), v = shapeOf(it.getV());
  if (q.size() < 2 || k.size() < 2 || v.size() < 2 || q.back() != k.back() ||
      k[k.size() - 2] != v[v.size() - 2])
    return complain("queries of ", text(q), ", keys of ", text(k), " and values of ", text(v),
                    " do not fit together");
  auto scores = broadcast(q.drop_back(2), k.drop_back(2));
  auto batches = scores ? broadcast(*scores, v.drop_back(2)) : std::nullopt;
  if (!batches)
    return complain("queries of ", text(q), ", keys of ", text(k), " and values of ", text(v),
                    " do not broadcast");
  scores->append({q[q.size() - 2], k[k.size() - 2]});
  if (it.getMask() && broadcast(shapeOf(it.getMask()), *scores) != scores)
    return complain("a mask of ", text(shapeOf(it.getMask())), " does not broadcast to ", text(*scores));
  batches->append({q[q.size() - 2], v.back()});
  types.push_back(mlir::RankedTensorType::get(*batches, tensorType(it.getQ()).getElementType()));
  return llvm::success();
}

} // namespace tilerig::graph
