// Random matrix products for random ONNX models.
#include "tests/support/RandomModel/Families.h"

#include <cmath>

namespace tilerig::test {

namespace {

double spread(int64_t terms) { return std::sqrt(3.0 / static_cast<double>(terms)); }

float drawFactor(Random &random) { return random.pick({1.0f, 1.0f, 1.0f, 0.5f, -2.0f, 0.3f}); }

} // namespace

void addGemm(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(2, 2);
  const bool transA = random.chance(25), transB = random.chance(50);
  const int64_t rows = x.shape[transA ? 1 : 0], depth = x.shape[transA ? 0 : 1];
  const auto columns = static_cast<int64_t>(random.ragged(33));
  if (!RandomGraph::fits({rows, columns}) || !RandomGraph::fits({depth, columns}))
    return;
  const double bound = spread(depth);
  Names inputs = {x.name,
                  graph.floats(transB ? Shape{columns, depth} : Shape{depth, columns}, -bound, bound)};
  if (graph.opset < 11 || random.chance(75))
    inputs.push_back(
        graph.floats(random.chance(60) ? Shape{columns} : graph.broadcasting({rows, columns}), -0.5, 0.5));
  onnx::NodeProto &node = graph.node("Gemm", inputs);
  const float alpha = drawFactor(random), beta = drawFactor(random);
  if (alpha != 1)
    setFloat(node, "alpha", alpha);
  if (beta != 1)
    setFloat(node, "beta", beta);
  if (transA)
    setInt(node, "transA", 1);
  if (transB || random.chance(20))
    setInt(node, "transB", transB);
  graph.give(node, {rows, columns}, std::abs(alpha) * x.size + std::abs(beta) / 3);
}

// A matrix product with constant weights on the left or right, with operands of any rank that numpy.matmul
// allows.
void addMatMul(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(1, 5);
  const bool isRight = x.rank() >= 2 && random.chance(25);
  const int64_t depth = isRight ? x.shape[x.shape.size() - 2] : x.shape.back();
  const auto width = static_cast<int64_t>(random.ragged(17));
  const uint64_t form = random.below(4);
  Shape weights = isRight ? Shape{width, depth} : Shape{depth, width}, result = x.shape;
  if (form == 0) // the weights of the product are a vector
    weights = {depth};
  if (form == 1 && x.rank() > 2) // a batch of weight matrices, or one matrix for the whole batch
    weights.insert(weights.begin(), random.chance(50) ? x.shape[x.shape.size() - 3] : 1);
  if (isRight && form == 0)
    result.erase(result.end() - 2);
  else if (form == 0)
    result.pop_back();
  else
    result[result.size() - (isRight ? 2 : 1)] = width;
  if (!RandomGraph::fits(result) || !RandomGraph::fits(weights))
    return;
  const double bound = spread(depth);
  const std::string constant = graph.floats(weights, -bound, bound);
  const Names inputs = isRight ? Names{constant, x.name} : Names{x.name, constant};
  const RandomValue product = graph.give(graph.node("MatMul", inputs), result, x.size);
  if (form != 0 && !isRight && random.chance(50))
    graph.binary("Add", product, graph.floats({width}, -0.5, 0.5), x.size + 0.2);
}

// A matrix product of two computed values: a value and its own transpose.
void addProductOfValues(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(2, 4);
  std::vector<int64_t> perm;
  for (int64_t i = 0; i < x.rank(); ++i)
    perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  const int64_t rows = x.shape[x.shape.size() - 2], depth = x.shape.back();
  Shape result = x.shape;
  result.back() = rows;
  if (!RandomGraph::fits(result))
    return;
  const RandomValue turned = graph.transposed(x, perm), other = graph.bounded(x);
  const RandomValue product = graph.give(graph.node("MatMul", {other.name, turned.name}), result,
                                         x.size * static_cast<double>(depth) / 2);
  graph.binary("Mul", product, graph.number(1 / std::sqrt(static_cast<double>(depth))), 1 + x.size / 2);
}

} // namespace tilerig::test
