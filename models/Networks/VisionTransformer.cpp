// The vision transformer ViT-Tiny: patches of 16 × 16 pixels become tokens of width 192, and a class token is
// added. A. Dosovitskiy et al.: An image is worth 16×16 words, 2020; H. Touvron et al.: DeiT, 2020.
#include "models/Builder/Attention.h"
#include "models/Networks/Families.h"

#include <cmath>

namespace tilerig::models {

namespace {

constexpr int64_t patch = 16, features = 192, layers = 12, heads = 3;

// The input tokens [batch, patches + 1, features]: the class token, then the patches row by row, each plus
// its position embedding.
Value tokensOf(GraphBuilder &g, const Value &image) {
  Scope scope(g, "embeddings");
  int64_t batch = image.shape[0], side = image.shape[2] / patch, patches = side * side;
  Value weight = g.weight("patch.weight", {features, 3, patch, patch},
                          Filling::bell(1 / std::sqrt(static_cast<double>(3 * patch * patch))));
  Value bias = g.weight("patch.bias", {features}, Filling::bell(0.1));
  g.countMacs(batch * patches * features * 3 * patch * patch);
  Value grid = g.node("Conv", "patch", {image, weight, bias}, {batch, features, side, side},
                      {attribute("kernel_shape", {patch, patch}), attribute("strides", {patch, patch})});
  Value line = g.node("Reshape", "line", {grid, g.integers("line.shape", {0, features, -1})},
                      {batch, features, patches});
  Value rows = g.node("Transpose", "rows", {line}, {batch, patches, features},
                      {attribute("perm", std::vector<int64_t>{0, 2, 1})});
  Value token = g.weight("class_token", {1, 1, features}, Filling::bell(1));
  Value tokens = g.node("Expand", "class_tokens", {token, g.integers("class_tokens.shape", {batch, 1, 1})},
                        {batch, 1, features});
  Value all = g.node("Concat", "all", {tokens, rows}, {batch, patches + 1, features},
                     {attribute("axis", int64_t{1})});
  Value positions = g.weight("positions", {1, patches + 1, features}, Filling::bell(0.5));
  return g.node("Add", "placed", {all, positions}, all.shape);
}

Value normalised(GraphBuilder &g, const Value &x, std::string_view name) {
  return layerNorm(g, x, name, LayerNormForm::op, 1e-6f);
}

Value encoderLayer(GraphBuilder &g, const Value &x) {
  Value attended = attend(g, normalised(g, x, "norm1"), "attention", {heads});
  Value y = g.node("Add", "attended", {x, attended}, x.shape);
  Value inner = gelu(g, project(g, normalised(g, y, "norm2"), "mlp.inner", 4 * features));
  return g.node("Add", "transformed", {y, project(g, inner, "mlp.outer", features)}, x.shape);
}

} // namespace

Network vitTiny(const Variant &variant) {
  GraphBuilder g("vit_tiny", variant.opset);
  Value x = tokensOf(g, imageInput(g, variant));
  for (int64_t i = 0; i < layers; ++i) {
    Scope scope(g, "layer" + std::to_string(i));
    x = encoderLayer(g, x);
  }
  x = normalised(g, x, "norm");
  Value first = g.node("Gather", "class", {x, g.integers("zero", {}, std::array<int64_t, 1>{0})},
                       {variant.batch, features}, {attribute("axis", int64_t{1})});
  g.output(project(g, first, "head", imageNetClasses, 2));
  return std::move(g).finish();
}

} // namespace tilerig::models
