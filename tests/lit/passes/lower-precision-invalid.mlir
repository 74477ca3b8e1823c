// RUN: smp-opt %s --smp-lower-precision --split-input-file --verify-diagnostics

// expected-error @+1 {{smp.precision is f64; it must be bf16 or f16}}
smp.entry @wide(%x: tensor<2xf32> {smp.name = "x"}) -> (tensor<2xf32> {smp.name = "y"})
    attributes {smp.precision = f64} {
  smp.return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{smp.precision is "bf16"; it must be bf16 or f16}}
smp.entry @text(%x: tensor<2xf32> {smp.name = "x"}) -> (tensor<2xf32> {smp.name = "y"})
    attributes {smp.precision = "bf16"} {
  smp.return %x : tensor<2xf32>
}
