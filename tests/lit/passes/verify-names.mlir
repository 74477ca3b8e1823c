// A pass that forgets names or pins is caught: MLIR's own do.
// RUN: split-file %s %t
// RUN: not smp-opt %t/names.mlir --cse --verify-names 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not smp-opt %t/pins.mlir --canonicalize --verify-names 2>&1 | FileCheck %s --check-prefix=PIN
// RUN: smp-opt %t/names.mlir --smp-cse --verify-names
// RUN: smp-opt %t/pins.mlir --smp-canonicalize --smp-cse --verify-names

//--- names.mlir
// NAME: error: the pass lost the name 'b'; rewrite under a NameKeeper
smp.entry @names(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x : tensor<4xf32> loc("a")
  %b = smp.exp %x : tensor<4xf32> loc("b")
  %y = smp.add %a, %b : tensor<4xf32> loc("y")
  smp.return %y : tensor<4xf32>
}

//--- pins.mlir
// PIN: the pass lost the pin of 'y'
smp.entry @pins(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.abs %x : tensor<4xf32> loc("y")
  %y = smp.abs %a {smp.placement = #smp.placement<0, user>} : tensor<4xf32> loc("y")
  smp.return %y : tensor<4xf32>
}
