using 'main.bicep'

param environment = 'prod'
