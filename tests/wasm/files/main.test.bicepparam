using 'main.bicep'

param environment = 'test'
