// RUN: smp-opt %s --smp-print-plan --verify-diagnostics

module attributes {smp.partitions = 2 : i64} {
smp.entry @f(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // expected-error @+1 {{is on partition 7 of a module for 2}}
  %y = smp.exp %x {smp.placement = #smp.placement<7, user>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
}
