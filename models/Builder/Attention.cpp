#include "models/Builder/Attention.h"

#include <array>
#include <cassert>
#include <cmath>

namespace tilerig::models {

namespace {

constexpr double shiftSpread = 0.1, scaleSpread = 0.25;

Value reduceMean(GraphBuilder &g, const Value &x, std::string_view name) {
  Shape shape = x.shape;
  shape.back() = 1;
  if (g.opset() < 18)
    return g.node("ReduceMean", name, {x}, shape, {attribute("axes", std::vector<int64_t>{-1})});
  return g.node("ReduceMean", name, {x, g.integers(std::string(name) + ".axes", {-1})}, shape);
}

Value spelledOut(GraphBuilder &g, const Value &x, const Value &scale, const Value &shift, float epsilon) {
  Value mean = reduceMean(g, x, "mean");
  Value centred = g.node("Sub", "centred", {x, mean}, x.shape);
  Value squares = g.node("Pow", "squares", {centred, g.scalar("two", 2)}, x.shape);
  Value variance = reduceMean(g, squares, "variance");
  Value raised = g.node("Add", "raised", {variance, g.scalar("epsilon", epsilon)}, variance.shape);
  Value deviation = g.node("Sqrt", "deviation", {raised}, raised.shape);
  Value normalised = g.node("Div", "normalised", {centred, deviation}, x.shape);
  Value scaled = g.node("Mul", "scaled", {normalised, scale}, x.shape);
  return g.node("Add", "shifted", {scaled, shift}, x.shape);
}

} // namespace

Value reshape(GraphBuilder &g, const Value &x, std::string_view name, std::initializer_list<int64_t> target,
              Shape shape) {
  return g.node("Reshape", name, {x, g.integers(std::string(name) + ".shape", target)}, std::move(shape));
}

Value transpose(GraphBuilder &g, const Value &x, std::string_view name, const std::vector<int64_t> &order) {
  Shape shape;
  for (int64_t axis : order)
    shape.push_back(x.shape[axis]);
  return g.node("Transpose", name, {x}, std::move(shape), {attribute("perm", order)});
}

Value matMul(GraphBuilder &g, const Value &a, const Value &b, std::string_view name) {
  Shape shape = a.shape;
  shape.back() = b.shape.back();
  g.countMacs(countElements(shape) * a.shape.back());
  return g.node("MatMul", name, {a, b}, std::move(shape));
}

Value project(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs, double gain) {
  Scope scope(g, name);
  int64_t inputs = x.shape.back();
  Value weight =
      g.weight("weight", {inputs, outputs}, Filling::bell(gain / std::sqrt(static_cast<double>(inputs))));
  Value bias = g.weight("bias", {outputs}, Filling::bell(shiftSpread * gain));
  Value product = matMul(g, x, weight, "product");
  return g.node("Add", "sum", {product, bias}, product.shape);
}

Value layerNorm(GraphBuilder &g, const Value &x, std::string_view name, LayerNormForm form, float epsilon) {
  Scope scope(g, name);
  Value scale = g.weight("weight", {x.shape.back()}, Filling::uniform(scaleSpread, 1));
  Value shift = g.weight("bias", {x.shape.back()}, Filling::bell(shiftSpread));
  if (form == LayerNormForm::spelledOut || g.opset() < 17)
    return spelledOut(g, x, scale, shift, epsilon);
  return g.node("LayerNormalization", "normalised", {x, scale, shift}, x.shape,
                {attribute("axis", int64_t{-1}), attribute("epsilon", epsilon)});
}

Value rmsNorm(GraphBuilder &g, const Value &x, std::string_view name, float epsilon) {
  Scope scope(g, name);
  Value scale = g.weight("weight", {x.shape.back()}, Filling::uniform(scaleSpread, 1));
  Value squares = g.node("Pow", "squares", {x, g.scalar("two", 2)}, x.shape);
  Value mean = reduceMean(g, squares, "mean");
  Value raised = g.node("Add", "raised", {mean, g.scalar("epsilon", epsilon)}, mean.shape);
  Value root = g.node("Sqrt", "root", {raised}, raised.shape);
  Value normalised = g.node("Div", "normalised", {x, root}, x.shape);
  return g.node("Mul", "scaled", {normalised, scale}, x.shape);
}

Value gelu(GraphBuilder &g, const Value &x, std::string_view name) {
  Scope scope(g, name);
  Value ratio = g.node("Div", "ratio", {x, g.scalar("sqrt2", 1.41421354f)}, x.shape);
  Value erf = g.node("Erf", "erf", {ratio}, x.shape);
  Value raised = g.node("Add", "raised", {erf, g.scalar("one", 1)}, x.shape);
  Value product = g.node("Mul", "product", {x, raised}, x.shape);
  return g.node("Mul", "halved", {product, g.scalar("half", 0.5f)}, x.shape);
}

Value embed(GraphBuilder &g, const Value &numbers, std::string_view name, int64_t entries, int64_t features,
            double spread) {
  Scope scope(g, name);
  Value table = g.weight("weight", {entries, features}, Filling::bell(spread));
  Shape shape = numbers.shape;
  shape.push_back(features);
  return g.node("Gather", "rows", {table, numbers}, std::move(shape));
}

Value attend(GraphBuilder &g, const Value &x, std::string_view name, const Attention &attention) {
  Scope scope(g, name);
  const Value &memory = attention.memory ? *attention.memory : x;
  int64_t features = x.shape[2], heads = attention.heads;
  int64_t perHead = features / heads;
  assert(features % heads == 0);
  auto split = [&](const Value &from, const char *which, const std::vector<int64_t> &order) {
    Value all = project(g, from, which, features);
    Scope inner(g, which);
    Value parts =
        reshape(g, all, "split", {0, 0, heads, perHead}, {from.shape[0], from.shape[1], heads, perHead});
    return transpose(g, parts, "heads", order);
  };
  Value query = split(x, "query", {0, 2, 1, 3}), key = split(memory, "key", {0, 2, 3, 1});
  Value value = split(memory, "value", {0, 2, 1, 3});
  Value scores = matMul(g, query, key, "scores");
  float root = std::sqrt(static_cast<float>(perHead));
  scores = g.node("Div", "scaled", {scores, g.scalar("root", root)}, scores.shape);
  if (attention.mask)
    scores = g.node("Add", "masked", {scores, *attention.mask}, scores.shape);
  Value shares = g.node("Softmax", "shares", {scores}, scores.shape, {attribute("axis", int64_t{-1})});
  Value mixed = transpose(g, matMul(g, shares, value, "mixed"), "steps", {0, 2, 1, 3});
  Value joined = reshape(g, mixed, "joined", {0, 0, features}, x.shape);
  return project(g, joined, "output", features);
}

} // namespace tilerig::models
