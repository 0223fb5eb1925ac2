using 'main.bicep'

param environment = 'dev'
param publicImages = true
param administrators = '*'
param administratorPublicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExam shop'
