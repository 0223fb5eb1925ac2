using 'main.bicep'

param environment = 'dev'
param publicImages = true
