// RUN: smp-opt %s --smp-pack-products --verify-diagnostics

smp.variable @w parameter : tensor<8x3x3x3xf32> = #smp.splat<1.0>
smp.entry @f(%x: tensor<1x3x8x8xf32> {smp.name = "x"}) -> (tensor<1x8x8x8xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<8x3x3x3xf32>
  // expected-error @+2 {{has its channels first}}
  // expected-note @+1 {{run --smp-choose-layout first}}
  %c = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x8x8xf32>
  smp.return %c : tensor<1x8x8x8xf32>
}
